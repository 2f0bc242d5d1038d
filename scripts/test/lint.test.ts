/** Lint finds planted mistakes, in a copy of its configuration: by rules that oxlint lacks, and by those of a place. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
const tsgolint = join(root, 'node_modules/.bin/tsgolint');
const typeRoots = [join(root, 'node_modules/@types')];
const copy = mkdtempSync(join(tmpdir(), 'lint-'));
const domain = 'packages/server/src/domain';
const http = 'packages/server/src/http';
const many = 'word '.repeat(30);
const lines = (count: number) => 'f();\n'.repeat(count);
const spawn = "import { spawn } from 'node:child_process';\n";
const promised = "import { execFile } from 'node:child_process';\nimport { promisify } from 'node:util';\n";
const f = 'declare const f: (work?: unknown) => void;\n';

/** A path, what is written there, and the rules that it breaks. */
const planted: readonly [path: string, code: string, ...rules: string[]][] = [
  ['packages/server/package.json', '{ "name": "@bot-directory/server" }'],
  ['packages/sdk/package.json', '{ "name": "@bot-directory/sdk" }'],
  ['packages/testing/package.json', '{ "name": "@bot-directory/testing" }'],
  ['packages/server/tsconfig.json', JSON.stringify({ compilerOptions: { strict: true, types: ['node'], typeRoots } })],
  ['scripts/child.mjs', 'export const run = async () => {};'],
  ['packages/server/src/base/a.ts', 'export const a = 1;'],
  ['packages/server/src/store/a.ts', 'export const a = 1;'],
  [`${domain}/down.ts`, "export * from '../base/a.ts';"],
  [`${domain}/up.ts`, "export * from '../store/a.ts';", 'import-zones'],
  [`${domain}/up-without-extension.ts`, "export * from '../store/a';", 'import-zones'],
  [`${domain}/up-for-types.ts`, "export type * from '../store/a.ts';", 'import-zones'],
  [`${domain}/up-later.ts`, "export const a = await import('../store/a.js');", 'import-zones'],
  ['packages/server/src/directory/directory.ts', "export * from './segments.ts';"],
  ['packages/server/src/directory/segments.ts', 'export const a = 1;'],
  [`${http}/entry.ts`, "import '../directory/directory.ts';"],
  [`${http}/inside.ts`, "import '../directory/segments.ts';", 'import-zones'],
  ['packages/server/src/outbound/sibling.ts', "import '../store/a.ts';", 'import-zones'],
  [`${http}/client.ts`, "import '@bot-directory/sdk';", 'import-zones'],
  ['packages/server/test/client.ts', "import '@bot-directory/sdk';"],
  [`${http}/testing.ts`, "import '@bot-directory/testing/until';", 'import-zones'],
  [`${http}/testing.test.ts`, "import '@bot-directory/testing/until';"],
  ['packages/contract/src/path.ts', "import '../../server/src/base/a.ts';", 'import-zones'],
  [`${http}/x.ts`, "import './y.ts';", 'no-cycle'],
  [`${http}/y.ts`, "import './x.ts';", 'no-cycle'],
  [`${http}/x-type.ts`, "export type { B } from './y-type.ts';\nexport type A = 1;", 'no-cycle'],
  [`${http}/y-type.ts`, "import type { A } from './x-type.ts';\nexport type B = A;", 'no-cycle'],
  [`${http}/unprefixed.ts`, "import 'fs';", 'no-restricted-imports'],
  [`${http}/redis.ts`, "import 'ioredis';", 'no-restricted-imports'],
  [`${http}/socket.ts`, "export { connect } from 'node:net';", 'no-restricted-imports'],
  [`${http}/types-of-socket.ts`, "export type { Socket } from 'node:net';"],
  ['packages/server/src/store/socket.ts', "import 'node:dns/promises';", 'no-restricted-imports'],
  ['packages/server/src/store/redis.ts', "import 'ioredis';"],
  ['packages/server/src/outbound/socket.ts', "import 'node:net';"],
  [`${domain}/io.ts`, "import 'node:fs/promises';", 'no-restricted-imports'],
  [`${domain}/random.ts`, "export { randomBytes as a } from 'node:crypto';", 'no-restricted-imports'],
  [`${domain}/whole.ts`, "export * from 'node:crypto';", 'no-restricted-imports'],
  [`${domain}/hash.ts`, "export { createHash } from 'node:crypto';"],
  [`${domain}/in.test.ts`, "import 'node:fs';"],
  ['packages/sdk/src/dependency.ts', "import 'zod';", 'no-restricted-imports'],
  ['packages/sdk/src/contract.ts', "import '@bot-directory/contract';", 'no-restricted-imports'],
  ['packages/sdk/src/types.ts', "export type { Bot } from '@bot-directory/contract';"],
  [`${http}/env.ts`, 'export const a: unknown = process.env;', 'no-restricted-properties'],
  ['packages/server/src/config.ts', 'export const a: unknown = process.env;'],
  [`${http}/fetch.ts`, 'export const a = fetch;', 'no-restricted-globals'],
  [`${domain}/clock.ts`, 'export const a = [Date.now(), new Date(1)];', 'no-restricted-properties'],
  [`${domain}/date.ts`, 'export const a = new Date();', 'no-restricted-syntax'],
  [
    'packages/site/src/markup.tsx',
    'export const a: unknown = <p dangerouslySetInnerHTML={{}} />;',
    'no-restricted-syntax',
  ],
  ['packages/site/src/parts/json-ld.tsx', 'export const a: unknown = <p dangerouslySetInnerHTML={{}} />;'],
  ['packages/site/src/address.tsx', 'export const a = (b: string): unknown => <a href={b} />;', 'no-restricted-syntax'],
  ['bench/pair.ts', 'export const [a, b] = [1, 2];', 'one-thing-a-line'],
  ['bench/rest.ts', 'const [a, ...b] = [1, ...[2].values()];\nexport { a, b };'],
  ['bench/members.ts', 'export const a = { ...{ b: 1 } };', 'one-thing-a-line'],
  ['bench/entries.ts', 'export const a = [...[1]];', 'one-thing-a-line'],
  ['bench/arguments.ts', 'export const a = Math.max(...[1, 2]);', 'one-thing-a-line'],
  ['bench/loop.ts', 'for (let a = 1; a < 9;) a += a;', 'one-thing-a-line'],
  ['bench/enum.ts', 'export enum A { B }', 'no-restricted-syntax'],
  ['bench/comment.ts', `// ${many}`, 'max-len'],
  ['bench/comment.gen.ts', `// ${many}`],
  ['bench/block.ts', `/*\n ${many}\n*/`, 'max-len'],
  ['bench/text.tsx', `export const a: unknown = <p>${many}</p>;`, 'max-len'],
  ['bench/cannot-be-cut.tsx', `export const a = [\n'${many}',\n/${many}/,\n\`${many}\`,\n<p a="${many}" />];`],
  ['bench/function.ts', `${f}export const g = () => {\n${lines(59)}};`, 'max-lines-per-function'],
  ['bench/test.ts', `${f}f(() => {\n${lines(59)}});`, 'max-lines-per-function'],
  ['bench/comments.ts', `${f}export const g = () => {\n${lines(58)}\n// why\n/* and\nhow */\n};`],
  ['bench/describe.ts', `${f}const describe = f;\ndescribe(() => {\n${lines(60)}});`],
  ['bench/by-name.mjs', `${spawn}spawn('nginx');`, 'programs-by-name'],
  ['bench/by-constant.mjs', `${spawn}const name = 'nginx';\nspawn(name);`, 'programs-by-name'],
  ['bench/by-list.mjs', `${spawn}const [name = '', ...args] = ['nginx'];\nspawn(name, args);`, 'programs-by-name'],
  ['bench/by-wrapper.mjs', `${spawn}const s = (name) => spawn(name);\ns('nginx');`, 'programs-by-name'],
  ['bench/by-promise.mjs', `${promised}export const a = promisify(execFile)('nginx');`, 'programs-by-name'],
  ['bench/by-run.mjs', `${promised}const start = promisify(execFile);\nawait start('nginx');`, 'programs-by-name'],
  ['bench/by-child.mjs', "import { run } from '../scripts/child.mjs';\nawait run('nginx', []);", 'programs-by-name'],
  ['bench/by-base.mjs', `${spawn}spawn('git');\nspawn('/bin/ls');\nspawn(process.execPath);\nspawn(String(1));`],
  ['bench/by-other.mjs', "const run = (name) => name;\nrun('nginx');"],
  [`${http}/promise.ts`, 'Promise.resolve(1);', 'no-floating-promises'],
  [`${http}/any.ts`, "export const a: unknown = JSON.parse('1').b;", 'no-unsafe-member-access'],
  ['packages/server/test/any.ts', "export const a: unknown = JSON.parse('1').b;"],
  [`${http}/unused.ts`, 'const _a = 1;', 'no-unused-vars'],
  [`${http}/needless.ts`, '// oxlint-disable-next-line no-var\nexport const a = 1;', 'unused directive'],
];

beforeAll(() => {
  for (const path of ['oxlint.config.js', 'lint']) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  for (const [path, code] of planted) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), code);
  }
});
afterAll(() => rmSync(copy, { recursive: true }));

type Found = { readonly diagnostics: readonly { readonly code?: string; readonly filename: string }[] };

it('finds each planted mistake, and nothing else', () => {
  const args = [oxlint, '--config', 'oxlint.config.js', '--format', 'json', '.'];
  const env = { ...process.env, OXLINT_TSGOLINT_PATH: tsgolint };
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: copy, env, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(stdout) as Found;
  const found = diagnostics.map(
    ({ code, filename }) => `${filename}: ${/\((.+)\)/.exec(code ?? '')?.[1] ?? 'unused directive'}`,
  );
  const expected = planted.flatMap(([path, , ...rules]) => rules.map((rule) => `${path}: ${rule}`));
  expect(found.sort()).toEqual(expected.sort());
  expect(status).toBe(1);
});
