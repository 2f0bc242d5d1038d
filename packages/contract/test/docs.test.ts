/** The paths and numbers that docs/API.md writes out are the contract's. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { botSorts, contract, deliveredEventTypes, deliveryFailures, limits, reportReasons } from '../src/index.ts';

const page = readFileSync(new URL('../../../docs/API.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');
const number = new Intl.NumberFormat('en');

it.each([
  `at most ${limits.integrationsPerBot} in all`,
  `\`limit\` (1–${limits.pageSize})`,
  `at most ${number.format(limits.urlLength)} characters`,
  `at most ${number.format(limits.webhooksPerHost)} webhooks`,
  `\`sort\` (${botSorts.map((sort) => `\`${sort}\``).join(', ')})`,
  deliveredEventTypes.map((type) => `\`${type}\``).join(' or '),
  ...deliveryFailures.map((category) => `\`${category}\``),
  ...reportReasons.map((reason) => `\`${reason}\``),
])('docs/API.md says: %s', (text) => expect(page).toContain(text));

it.each(Object.values(contract).map(({ method, path }) => [method, path.replace(/:(\w+)/g, '<$1>')] as const))(
  'docs/API.md has %s %s in its table',
  (method, path) => {
    const rows = page.match(/\| `(?:GET|POST|DELETE)` +\|[^|]*\|/g) ?? [];
    const ofMethod = rows.filter((row) => row.includes(`\`${method}\``));
    expect(ofMethod.some((row) => row.includes(`\`${path}\``) || row.includes(`\`${path}?`))).toBe(true);
  },
);
