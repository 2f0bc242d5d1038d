/**
 * docs/OPERATIONS.md is a program: its commands run here as they stand there, in the order of the manual. Only ports
 * and folders differ. They run where systemd's units would run: in what pack:server makes, with the settings of the
 * units' file. The first command starts the service that the others need. The fence of a block that can't run here says
 * why: `not-run: <reason>`. A block with `needs <program>` runs if the program is installed.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startProvider, templateHost, type Provider } from '@bot-directory/testing/provider';
import { startTestRedis, type TestRedis } from '@bot-directory/testing/redis';
import { callers } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { needs } from '@bot-directory/testing/needs';
import { requireRedisCli } from '../../../../scripts/find-redis.mjs';
import type { ProgramName } from '../../../../scripts/programs.mjs';
import { hasEnded, startChild, stopChild } from '../../../../scripts/child.mjs';
import { freePort } from '../../../../scripts/port.mjs';
import { defaultCategories } from '../../src/domain/names.ts';
import { keys } from '../../src/store/keys.ts';

const root = join(import.meta.dirname, '../../../..');
const manual = readFileSync(join(root, 'docs/OPERATIONS.md'), 'utf8');

/** `redis-files.test.ts` and deploy's `walk.test.ts` run these. */
const itsOwnFile = 'a Redis that was started from its configuration file';
/** The reasons for which a block is not run here. */
const reasons = [
  'a build, which came before the tests',
  'a container engine',
  itsOwnFile,
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
/** The blocks that define `bot-directory-admin` and `metrics`, one for each layout. */
const layouts = blocks.filter(({ note }) => note.startsWith('layout: '));
const systemd = layouts.find(({ note }) => note === 'layout: systemd')?.commands ?? '';
/** The block with the address for redis-cli. */
const redisCli = blocks.find(({ note }) => note === 'redis');

/** The folder that stands for the root of a machine. */
let machine: string;
let folder: string;
let redis: TestRedis;
let empty: TestRedis;
let staging: TestRedis;
let provider: Provider;
let server: ReturnType<typeof startChild>;
let url: string;
let inHere: (commands: string) => string;
let startServer: () => Promise<void>;

const shell = ['--norc', '-euo', 'pipefail', '-c'];
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ENVIRONMENT_FILE: join(machine, 'etc/bot-directory/environment'),
});

beforeAll(async () => {
  [redis, empty, staging, provider] = await Promise.all([
    startTestRedis({ persist: true }),
    startTestRedis(),
    startTestRedis(),
    startProvider(),
  ]);
  const port = await freePort();
  const metricsPort = await freePort();
  url = `http://127.0.0.1:${port}`;
  machine = mkdtempSync(join(tmpdir(), 'manual-'));
  folder = join(machine, 'opt/bot-directory');
  inHere = (commands) =>
    commands
      .replaceAll('redis://127.0.0.1:6379', redis.url)
      .replaceAll('redis://127.0.0.1:6380', empty.url)
      .replaceAll('redis://127.0.0.1:6381', staging.url)
      .replaceAll('bots.example.com', templateHost)
      .replaceAll('http://localhost:3000', url)
      .replaceAll('127.0.0.1:9465', `127.0.0.1:${metricsPort}`)
      .replaceAll(/(?<![\w.])\/(?=opt|etc)/g, `${machine}/`)
      // An error ends the block.
      .replaceAll('redis-cli', `${requireRedisCli()} -e`);
  execFileSync(process.execPath, [join(root, 'deploy/src/pack-server.mjs'), folder], { stdio: 'ignore' });
  const file = environment().ENVIRONMENT_FILE ?? '';
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, inHere(readFileSync(join(root, 'deploy/systemd/environment'), 'utf8')));
  const started = inHere(service?.commands ?? '').replace(/^node /m, 'exec node ');
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
    BASE_URL: url,
    TEMPLATE_ORIGIN: provider.origin,
    SHUTDOWN_DELAY: '0s',
  };
  const isReady = (): Promise<boolean> => {
    if (hasEnded(server)) throw new Error('the service of the manual has ended');
    return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  startServer = async () => {
    server = startChild('bash', [...shell, started], {
      cwd: folder,
      env: { ...environment(), ...settings },
      stdio: 'ignore',
    });
    await until('the service of the manual is ready', isReady);
  };
  await startServer();
  const { post } = callers(url);
  for (const [name, author] of [
    ['Free Money Now', '@spammer_a'],
    ['Cheap Pills', '@spammer_b'],
    ['Honest Work', '@honest'],
  ])
    await post('/api/bots/submit', { link: `https://${templateHost}/bot/${provider.template({ name })}`, author });
  await post('/api/bots/free-money-now/reports', { reason: 'spam' });
  // A whole server is packed and started, which takes long on a busy machine.
}, 180_000);
afterAll(async () => {
  await stopChild(server);
  await Promise.all([redis.stop(), empty.stop(), staging.stop(), provider.stop()]);
  rmSync(machine, { recursive: true });
});

it('has commands in every chapter that asks for some, and a known reason where one is not run', () => {
  expect(service).toBeDefined();
  expect(blocks.length).toBeGreaterThan(25);
  expect(unrun.filter(({ note }) => !reasons.includes(note.slice('not-run: '.length)))).toEqual([]);
  // Blocks that are not run are about programs that are missing here: none of them has a command of the operator.
  for (const { commands } of unrun.filter(({ note }) => !note.includes(itsOwnFile)))
    expect(commands).not.toMatch(/^(bot-directory-admin|metrics|curl|redis-cli)/m);
  const fences = [...manual.matchAll(/^```(\w*)/gm)].filter(([, language]) => language !== '');
  expect(fences.every(([, language]) => language === 'sh')).toBe(true);
});

it('is short, and each of its pages ends in a decision', () => {
  const prose = manual.replaceAll(/^```[\s\S]*?^```\n/gm, '');
  expect(prose.split(/\s+/).length).toBeLessThanOrEqual(4_100);
  const [, ...pages] = prose.split(/^#{2,4} /m);
  expect(pages.length).toBeGreaterThan(40);
  const last = pages
    .map((page) => page.trim().split(/\n\n+/))
    .filter(([title]) => title !== 'Alerts')
    .map(([title, ...paragraphs]) => [title, paragraphs.at(-1)] as const);
  expect(last.filter(([, decision]) => decision?.startsWith('- If ') !== true)).toEqual([]);
});

it('defines the commands for each layout', () => {
  const names = layouts.map(({ note }) => note.slice('layout: '.length));
  expect(names).toEqual(['clone', 'systemd', 'compose', 'kubernetes']);
  for (const { commands } of layouts) {
    const check = 'declare -F metrics; declare -F bot-directory-admin || [[ $PATH == *bin:* ]]';
    expect(spawnSync('bash', [...shell, `${commands}\n${check}`]).status, commands).toBe(0);
  }
});

const run = blocks.filter((block) => ![...unrun, ...layouts, service, redisCli].includes(block));

for (const { line, note, commands } of run) {
  const [, needed] = /^needs (\S+)$/.exec(note) ?? [];
  const options = needed === undefined ? {} : needs(needed as ProgramName);
  it(`line ${line}: ${commands.split('\n')[0] ?? ''}`, options, async () => {
    const all = inHere(systemd + (redisCli?.commands ?? '') + commands);
    const child = spawn('bash', [...shell, all], { cwd: folder, env: environment() });
    child.stdin.end();
    const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode, `${output}\n${complaint}`).toBe(0);
    // It is there for a process that refuses to start, so one starts after it.
    if (commands.includes('settings forget')) {
      await stopChild(server);
      await startServer();
    }
  });
}

it('its commands removed the wave of spam, and nothing else', async () => {
  const { get } = callers(url);
  expect((await get<{ slug: string }[]>('/api/bots')).body.map(({ slug }) => slug)).toEqual(['honest-work']);
  expect((await get('/api/bots/cheap-pills')).status).toBe(410);
  expect((await get('/api/bots/free-money-now')).status).toBe(410);
});

it('a renamed category leaves all others in the setting', () => {
  const [, now] = /^BOT_CATEGORIES=(.*)$/m.exec(readFileSync(environment().ENVIRONMENT_FILE ?? '', 'utf8')) ?? [];
  const expected = defaultCategories.map((name) => (name === 'Marketing' ? 'Growth=Marketing' : name));
  expect(now?.split(',')).toEqual(expected);
});

it('a restored store delivers and signs as before, and a staging copy does neither', async () => {
  const has = async ({ url }: TestRedis): Promise<number[]> => {
    const client = new Redis(url);
    const found = await Promise.all([client.exists(keys.paused), client.exists(keys.signingKey)]);
    client.disconnect();
    return found;
  };
  expect([await has(empty), await has(staging)]).toEqual([
    [0, 1],
    [1, 0],
  ]);
});

it('every command of the operator is in it', () => {
  const help = join(folder, 'bin/bot-directory-admin');
  const { stdout } = spawnSync(help, ['--help'], { encoding: 'utf8' });
  const [, list = ''] = /\nCommands:\n([\s\S]*)/.exec(stdout) ?? [];
  const known = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
  expect(known).toContain('reports');
  const named = [...manual.matchAll(/bot-directory-admin (?:--yes )?([a-z]+)/g)].map(([, name]) => name);
  expect(known.filter((name) => !named.includes(name))).toEqual([]);
});
