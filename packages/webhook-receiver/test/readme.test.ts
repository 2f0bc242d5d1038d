/** Every example of the README is type-checked against the built package, as a consumer's compiler would. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from '@bot-directory/runtimes';

const here = import.meta.dirname;
const readme = readFileSync(join(here, '../README.md'), 'utf8');
const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
const folder = mkdtempSync(join(here, '.readme-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('the README shows how to start, parse, share and test, and all of it compiles', async () => {
  expect(examples).toHaveLength(4);
  for (const [index, code] of examples.entries()) writeFileSync(join(folder, `example-${index}.mts`), code);
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023'],
    types: ['node'],
    module: 'NodeNext',
    strict: true,
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  expect((await run(process.execPath, [tsc, '-p', folder])).stdout).toBe('');
});

it('the README lists every code that is answered, and no other', () => {
  const table = readme.slice(readme.indexOf('## Answers'), readme.indexOf('## Try it'));
  const listed = [...table.matchAll(/^\|.*\|$/gm)].flatMap(([row]) =>
    [...row.matchAll(/`(\w+)`/g)].map(([, code]) => code),
  );
  const sources = ['errors', 'receive', 'handle-once']
    .map((name) => readFileSync(join(here, `../src/${name}.ts`), 'utf8'))
    .join('');
  const answered = [...sources.matchAll(/(?:define\(|WebhookError\(|code(?::| =) )'(\w+)'/g)].map(([, code]) => code);
  // `pending` is the store's own word; a bad configuration ends the start and is never answered.
  const expected = new Set([...answered, 'pending'].filter((code) => code !== 'invalid_configuration'));
  expect(listed.filter((code) => code !== 'enqueue').sort()).toEqual([...expected].sort());
});
