/** The paths and numbers that docs/API.md writes out are the contract's. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  botSorts,
  contract,
  defaultEventTypes,
  deliveryFailures,
  limits,
  loggedEventTypes,
  reportReasons,
} from '../src/index.ts';

const source = readFileSync(new URL('../../../docs/API.md', import.meta.url), 'utf8');
const page = source.replace(/\s+/g, ' ');
const number = new Intl.NumberFormat('en');
/** Small numbers as prose has them; another one fails. */
const words: Partial<Record<number, string>> = { 5: 'five', 10: 'ten' };
const word = (count: number): string => words[count] ?? `no word for ${count}`;

it.each([
  `at most ${limits.integrationsPerBot} in all`,
  `\`limit\` (1–${limits.pageSize})`,
  `at most ${number.format(limits.urlLength)} characters`,
  `at most ${number.format(limits.webhooksPerHost)} webhooks`,
  `\`sort\` (${botSorts.map((sort) => `\`${sort}\``).join(', ')})`,
  ['ping', ...defaultEventTypes].map((type) => `\`${type}\``).join(' or '),
  ...loggedEventTypes.map((type) => `\`${type}\``),
  `among the next ${number.format(limits.eventsExamined)} events in the log`,
  `cut at ${limits.nameLength} characters, a longer description at ${limits.descriptionLength}`,
  `slugs of at most ${limits.integrationLength} characters`,
  `up to ${limits.errorsNamed} of them`,
  `at most ${limits.bodyBytes / 1_024} KB, both as sent and inflated`,
  `and ${limits.bodyDepth} levels of arrays and objects`,
  `or after ${limits.bodyBytes / 1_024} KB if it is chunked`,
  `read at most once in ${word(limits.refreshSec / 60)} minutes`,
  `at most ${limits.queryWords} different words`,
  `A URL has at most ${limits.queryParameters} parameters`,
  `\`whsec_\` and ${limits.secretMinBytes} to ${limits.secretMaxBytes} random bytes`,
  `Up to ${word(limits.headersPerWebhook)} \`headers\``,
  `at most ${limits.headerNameLength} characters, and a value ${number.format(limits.headerValueLength)}`,
  `After ${word(limits.failuresInARow)} failures in a row`,
  `after ${number.format(limits.eventsExamined)} that were examined`,
  `${limits.mcpDefaultPageSize} a page, at most ${limits.mcpPageSize}`,
  `counts of the ${limits.mcpIntegrations} most used`,
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

const sections = source.split(/\n#+ /);

it.each(
  Object.values(contract).map((route) => [`${route.method} ${route.path.replace(/:(\w+)/g, '<$1>')}`, route] as const),
)('docs/API.md shows what %s takes and returns', (title, route) => {
  const section = sections.find((text) => text.startsWith(`\`${title}\`\n`)) ?? '';
  const blocks = [...section.matchAll(/^```(?:json)?\n(.*?)^```/gms)].map(([, text = '']) => text);
  const { 200: success } = route.responses;
  const body = 'body' in route ? route.body : undefined;
  expect(blocks).toHaveLength(body === undefined ? 1 : 2);
  if (body !== undefined) expect(body.safeParse(JSON.parse(blocks[0] ?? '')).success).toBe(true);
  if ('safeParse' in success) expect(success.safeParse(JSON.parse(blocks.at(-1) ?? '')).success).toBe(true);
  else expect(blocks.at(-1)).toMatch(/^id: evt_/);
  for (const name of route.metadata.headers ?? []) expect(section).toContain(`\`${name}\``);
});

it('the example of a registration has what the example of its body registers', () => {
  const section = sections.find((text) => text.startsWith('`POST /api/webhooks/bots`')) ?? '';
  const [sent, answered] = [...section.matchAll(/```json\n(.*?)```/gs)].map(
    ([, json = '']) => JSON.parse(json) as Record<string, object>,
  );
  expect(answered).toMatchObject({
    events: sent?.events,
    filter: sent?.filter,
    format: sent?.format,
    has_secret: true,
    has_headers: true,
  });
});
