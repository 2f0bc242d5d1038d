/**
 * docs/OPERATIONS.md is a program: each of its commands is run here in the order of the manual, as it stands there, but
 * for the ports. The first one starts the service that the others are for. What can't be run here says why in its
 * fence: `not-run: <reason>`, or `needs <program>`, where it is run if the program is at hand.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findRedis } from '../../../../scripts/find-redis.mjs';
import { startChild, stopChild } from '../../../../scripts/child.mjs';
import { freePort } from '../../../../scripts/port.mjs';
import { startProvider, templateHost, type Provider } from '../support/provider.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { callers } from '../support/service.ts';
import { until } from '../support/until.ts';

const root = join(import.meta.dirname, '../../../..');
const manual = readFileSync(join(root, 'docs/OPERATIONS.md'), 'utf8');

/** Why a block may be left to whoever has what it needs. */
const reasons = [
  'a build, which came before the tests',
  'a container engine',
  'a cluster',
  'systemd as the first process, and root',
];

type Block = { readonly line: number; readonly note: string; readonly commands: string };

const blocks: readonly Block[] = [...manual.matchAll(/^```sh *(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
  line: manual.slice(0, match.index).split('\n').length,
  note: match[1] ?? '',
  commands: match[2] ?? '',
}));
const unrun = blocks.filter(({ note }) => note.startsWith('not-run: '));
const service = blocks.find(({ note }) => note === 'service');

let folder: string;
let redis: TestRedis;
let empty: TestRedis;
let provider: Provider;
let server: ReturnType<typeof startChild>;
let url: string;
let inHere: (commands: string) => string;

const shell = ['-euo', 'pipefail', '-c'];
/** npx itself takes a second each time to find what is installed; once, below, it is asked. */
const npx = 'npx() { "node_modules/.bin/$@"; }\n';
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  HOST: '127.0.0.1',
  PORT: new URL(url).port,
  BASE_URL: url,
  TEMPLATE_ORIGIN: provider.origin,
  SHUTDOWN_DELAY: '0s',
  REDIS_URL: redis.url,
});

beforeAll(async () => {
  [redis, empty, provider] = await Promise.all([startTestRedis({ persist: true }), startTestRedis(), startProvider()]);
  url = `http://127.0.0.1:${await freePort()}`;
  inHere = (commands) =>
    commands
      .replaceAll('redis://127.0.0.1:6379', redis.url)
      .replaceAll('redis://127.0.0.1:6380', empty.url)
      .replaceAll('bots.example.com', templateHost)
      .replaceAll('http://localhost:3000', url)
      // Of the same release, and there wherever the server is.
      .replaceAll('redis-cli', (findRedis() ?? '').replace(/server$/, 'cli'));
  // A folder to write into, where the paths of the manual lead to this project.
  folder = mkdtempSync(join(tmpdir(), 'manual-'));
  for (const name of ['package.json', 'node_modules', 'packages', 'deploy'])
    symlinkSync(join(root, name), join(folder, name));
  const started = inHere(service?.commands ?? '').replace(/^node /m, 'exec node ');
  server = startChild('bash', [...shell, started], { cwd: folder, env: environment(), stdio: 'ignore' });
  await until('the service of the manual is ready', () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const { post } = callers(url);
  for (const [name, author] of [
    ['Free Money Now', '@spammer_a'],
    ['Cheap Pills', '@spammer_b'],
    ['Honest Work', '@honest'],
  ])
    await post('/api/bots/submit', { link: `https://${templateHost}/bot/${provider.template({ name })}`, author });
  await post('/api/bots/free-money-now/reports', { reason: 'spam' });
});
afterAll(async () => {
  await stopChild(server);
  await Promise.all([redis.stop(), empty.stop(), provider.stop()]);
  rmSync(folder, { recursive: true });
});

it('has commands in every chapter that asks for some, and a known reason where one is not run', () => {
  expect(service).toBeDefined();
  expect(blocks.length).toBeGreaterThan(25);
  expect(unrun.filter(({ note }) => !reasons.includes(note.slice('not-run: '.length)))).toEqual([]);
  // What is not run here is of the programs that are not here, and no operator's command hides among it.
  for (const { commands } of unrun) expect(commands).not.toMatch(/^(npx|curl|redis-cli)/m);
  const fences = [...manual.matchAll(/^```(\w*)/gm)].filter(([, language]) => language !== '');
  expect(fences.every(([, language]) => language === 'sh')).toBe(true);
});

const run = blocks.filter((block) => !unrun.includes(block) && block !== service);

it.each(run.map((block) => [`line ${block.line}: ${block.commands.split('\n')[0] ?? ''}`, block] as const))(
  '%s',
  async (_title, { note, commands }) => {
    const [, needed] = /^needs (\S+)$/.exec(note) ?? [];
    if (needed !== undefined && spawnSync(needed, ['--version']).error !== undefined) return;
    const child = spawn('bash', [...shell, npx + inHere(commands)], { cwd: folder, env: environment() });
    child.stdin.end();
    const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode, `${output}\n${complaint}`).toBe(0);
  },
);

it('what it said of the wave has come true', async () => {
  const { get } = callers(url);
  expect((await get<{ slug: string }[]>('/api/bots')).body.map(({ slug }) => slug)).toEqual(['honest-work']);
  expect((await get('/api/bots/cheap-pills')).status).toBe(410);
  expect((await get('/api/bots/free-money-now')).status).toBe(410);
});

it('every command of the operator is in it', () => {
  const { stdout } = spawnSync('npx', ['bot-directory-admin', '--help'], { cwd: folder, encoding: 'utf8' });
  const [, list = ''] = /\nCommands:\n([\s\S]*)/.exec(stdout) ?? [];
  const known = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
  expect(known).toContain('reports');
  const named = [...manual.matchAll(/npx bot-directory-admin (?:--yes )?([a-z]+)/g)].map(([, name]) => name);
  expect(known.filter((name) => !named.includes(name))).toEqual([]);
});
