/** Every example of the README and of the doc comments: it is type-checked, and it runs against the real server. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestCompiler } from '@bot-directory/check-runtimes/compilers';
import { type Directory, startDirectory } from '@bot-directory/testing/directory';
import { createClient } from '@bot-directory/sdk';

const here = import.meta.dirname;
const read = (path: string) => readFileSync(join(here, '../../../packages/sdk', path), 'utf8');
const folder = mkdtempSync(join(here, '.examples-'));

/** Returns the `ts` blocks, by the heading above them. */
const readmeExamples = (): Array<[title: string, code: string]> =>
  read('README.md')
    .split(/^#+ /m)
    .flatMap((section) =>
      [...section.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ''], index): [string, string] => [
        `README: ${section.split('\n', 1)[0]} ${index + 1}`,
        code,
      ]),
    );

/** Returns the `@example` blocks, by the member below them. */
const docExamples = (path: string): Array<[title: string, code: string]> =>
  [...read(path).matchAll(/^ *\/\*\*\n(.*?)\*\/\n *(?:export const )?(\w+)/gms)].flatMap(([, comment = '', member]) =>
    comment
      .split('@example\n')
      .slice(1)
      .map((code, index): [string, string] => [`${path}: ${member} ${index + 1}`, code.replace(/^ *\* ?/gm, '')]),
  );

const examples = [
  ...readmeExamples(),
  ...docExamples('src/client.ts'),
  ...docExamples('src/options.ts'),
  ...docExamples('src/mirror.ts'),
  ...docExamples('src/cache.ts'),
];

/**
 * Adds what an example leaves out: the service's URL, and a client. An example with its own imports makes its own
 * client.
 */
const whole = (code: string): string => {
  const isWhole = code.includes('import ');
  return [
    isWhole
      ? ''
      : `import { connect, createClient, listBots } from '@bot-directory/sdk';\nimport { mirror } from '@bot-directory/sdk/mirror';\nimport { cachingFetch } from '@bot-directory/sdk/cache';`,
    ...['baseUrl', 'webhookUrl'].map((name) => `const ${name} = String(process.env['${name}']);`),
    isWhole || code.includes('const directory =') ? '' : 'const directory = createClient({ baseUrl });',
    code.replaceAll(`'https://directory.example.com'`, 'baseUrl'),
    'export {};',
  ].join('\n');
};

let service: Directory;
beforeAll(async () => {
  const dist = join(folder, 'node_modules/@bot-directory/sdk');
  mkdirSync(join(dist, 'dist'), { recursive: true });
  const entries = ['index', 'mirror', 'cache'].flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]);
  for (const name of ['package.json', ...entries]) writeFileSync(join(dist, name), read(name));
  service = await startDirectory();
  const directory = createClient({ baseUrl: service.baseUrl });
  await directory.bots.submit({
    link: 'https://templates.example.com/bot/weekly-seo-report',
    categories: ['Marketing'],
  });
  await directory.bots.submit({ link: 'https://templates.example.com/bot/expense-sorter', categories: ['SEO'] });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

describe('the examples', () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1' });
  const methods = Object.entries(client).map(([name, value]): [group: string, methods: string[]] =>
    typeof value === 'object' ? [name, Object.keys(value)] : ['', [name]],
  );

  it('are there: one for each method of the client', () => {
    const titles = examples.map(([title]) => title);
    for (const [, names] of methods)
      for (const name of names) expect(titles).toContainEqual(expect.stringMatching(new RegExp(`: ${name} 1$`)));
    for (const name of ['createClient', 'connect', 'mirror', 'cachingFetch'])
      expect(titles).toContainEqual(expect.stringMatching(new RegExp(`: ${name} 1$`)));
  });

  it("are listed in the README's table of methods, each in its group", () => {
    const rows = [...read('README.md').matchAll(/^\| (?:`(\w+)`)? *\| ((?:`\w+` ?)+) *\|$/gm)];
    const listed = rows.flatMap(([, group = '', names = '']) =>
      [...names.matchAll(/\w+/g)].map(([name]) => `${group}.${name}`),
    );
    expect(listed.sort()).toEqual(methods.flatMap(([group, names]) => names.map((name) => `${group}.${name}`)).sort());
  });

  it('are type-checked', async () => {
    const checked = join(folder, 'checked');
    mkdirSync(checked);
    for (const [index, [, code]] of examples.entries())
      writeFileSync(join(checked, `example-${index}.mts`), whole(code));
    const compilerOptions = {
      target: 'ES2022',
      lib: ['ES2023'],
      types: ['node'],
      module: 'NodeNext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    };
    writeFileSync(join(checked, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
    const found = await newestCompiler.compile(checked);
    expect(found.replace(/example-(\d+)\.mts/g, (_, index) => examples[Number(index)]?.[0] ?? '')).toBe('');
  });

  it.each(examples.map(([title, code], index) => ({ title, code, index })))('$title runs', async ({ code, index }) => {
    const path = join(folder, `run-${index}.mjs`);
    writeFileSync(path, (await transform(whole(code), { loader: 'ts', format: 'esm' })).code);
    // A thread loads what a process would, and starts faster.
    const env = { ...process.env, baseUrl: service.baseUrl, webhookUrl: `${service.hookUrl}/hook` };
    const worker = new Worker(path, { env, stdout: true, stderr: true });
    const [stderr, exit] = await Promise.all([text(worker.stderr), once(worker, 'exit'), text(worker.stdout)]);
    expect([exit, stderr]).toEqual([[0], '']);
  });
});
