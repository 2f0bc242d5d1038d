/**
 * A stranger's walk: from the files of the image, a Redis that runs with a password, and docs/OPERATIONS.md, to a
 * directory with alerts, a backup, a restored copy as staging, a new password, a renamed category and blocks. Each
 * command is a block of the manual; ports and folders differ, and settings are in the file that it names. After each
 * block every Redis is killed and starts from its own files, and then the directory serves.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needs } from '@bot-directory/testing/needs';
import { startTemplateProvider } from '../../examples/template-provider/src/provider.js';
import { runForOutput, startChild, stopChild } from '../../scripts/child.mjs';
import { requireRedisCli } from '../../scripts/find-redis.mjs';
import { freePort } from '../../scripts/port.mjs';
import { root } from './support/files.ts';
import { block } from './support/manual.ts';
import { redisWith, type Redis } from './support/redis.ts';

type Server = { readonly url: string; readonly stop: () => Promise<unknown> };

const ended: (() => Promise<unknown>)[] = [];
let machine: string;
let folder: string;
/** The settings of every process and of the command line, as the manual wants them. */
let settingsFile: string;
let provider: Awaited<ReturnType<typeof startTemplateProvider>>;
let production: Redis;
let staging: Redis;
let metricsPort: number;
/** Without a URL, none has started. */
let server: Server = { url: '', stop: () => Promise.resolve() };

/** Starts a Redis that demands a password. */
const existingRedis = async (name: string): Promise<Redis> => {
  const started = await redisWith(join(machine, name), { password: 'its-own-password' });
  ended.push(started.kill);
  return started;
};
/** The address of production for the user that the manual makes. */
const asUser = (password: string): string =>
  production.url.replace(/\/\/.*@/, `//bot-directory:${encodeURIComponent(password)}@`);

const readSettings = (): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync(settingsFile, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
const write = (settings: Record<string, string>): void =>
  writeFileSync(
    settingsFile,
    Object.entries({ ...readSettings(), ...settings })
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );

const inHere = (commands: string): string =>
  commands
    .replaceAll('redis://127.0.0.1:6379', production.url)
    .replaceAll('redis://127.0.0.1:6381', staging.url)
    // An error ends the block.
    .replaceAll('redis-cli ', `${requireRedisCli()} -e `)
    .replaceAll('http://localhost:3000', server.url)
    .replaceAll('127.0.0.1:9465', `127.0.0.1:${metricsPort}`)
    .replaceAll(/(?<![\w.])\/(?=opt|etc)/g, `${machine}/`);

const isFine = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
const restart = async ({ kill, start }: Redis): Promise<void> => {
  await kill();
  await start();
};

/** Runs a block where the files are. Afterwards, each Redis starts from its own files, and the server reaches it. */
const follow = async (commands: string, { cwd = folder } = {}): Promise<string> => {
  const env = { PATH: process.env.PATH, ENVIRONMENT_FILE: settingsFile };
  const all = block('layout: systemd') + block('export REDIS_ADMIN_URL=') + commands;
  const { code, output } = await runForOutput('bash', ['--norc', '-euo', 'pipefail', '-c', inHere(all)], { cwd, env });
  expect(code, output).toBe(0);
  await Promise.all([production, staging].map(restart));
  if (server.url !== '') await expect.poll(() => isFine(`${server.url}/healthz/store`), { timeout: 60_000 }).toBe(true);
  return output;
};

/** Starts a process by the manual's last command, with the settings of the file and these. */
const serve = async (own: Record<string, string> = {}): Promise<Server> => {
  const port = await freePort();
  const start = block('export BASE_URL=', 'main.js').trim().split('\n').at(-1) ?? '';
  const env = {
    PATH: process.env.PATH,
    ...readSettings(),
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
    SHUTDOWN_DELAY: '0s',
    ...own,
  };
  const child = startChild('bash', ['-c', `exec ${start}`], { cwd: folder, env, stdio: 'ignore' });
  const stop = (): Promise<unknown> => stopChild(child);
  ended.push(stop);
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => isFine(`${url}/readyz`), { timeout: 120_000 }).toBe(true);
  return { url, stop };
};

const namesAt = async ({ url }: Server, query = ''): Promise<string[]> => {
  const response = await fetch(`${url}/api/bots${query}`);
  return ((await response.json()) as { name: string }[]).map(({ name }) => name);
};
/** Returns the code of the problem, if there is one. */
const post = async (path: string, value: object): Promise<string | undefined> => {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(value) });
  return ((await response.json()) as { code?: string }).code;
};
let submitted = 0;
/** Submits the next template. */
const submit = async (more: object): Promise<string | undefined> => {
  const link = `https://bots.example.com/bot/${provider.templates[submitted]?.id ?? ''}`;
  submitted += 1;
  return post('/api/bots/submit', { link, ...more });
};

beforeAll(async () => {
  machine = mkdtempSync(join(tmpdir(), 'walk-'));
  folder = join(machine, 'opt/bot-directory');
  settingsFile = join(machine, 'etc/bot-directory/environment');
  mkdirSync(join(machine, 'etc/bot-directory'), { recursive: true });
  // What the Dockerfile copies into the image.
  execFileSync(process.execPath, [join(root, 'deploy/src/pack-server.mjs'), folder], { stdio: 'ignore' });
  [provider, production, staging] = await Promise.all([
    startTemplateProvider(),
    existingRedis('production'),
    existingRedis('staging'),
  ]);
  metricsPort = await freePort();
  writeFileSync(settingsFile, readFileSync(join(folder, 'deploy/systemd/environment')));
  write({ REDIS_URL: asUser('change this password'), TEMPLATE_ORIGIN: provider.origin });
}, 180_000);
afterAll(async () => {
  for (const end of ended.reverse()) await end();
  await provider.close();
  rmSync(machine, { recursive: true, force: true });
});

it('begins on a Redis with a password, as a user of its own', { timeout: 240_000 }, async () => {
  await follow(block("'>change this password'"));
  server = await serve();
  await follow(block('/readyz', '/api/bots'));
  expect([await submit({ categories: ['Marketing'] }), await submit({ author: '@honest' })]).toEqual([
    undefined,
    undefined,
  ]);
});

it('is watched', { timeout: 240_000 }, async () => {
  await follow(block('directory_bots', 'used_memory'));
});

it('has alerts', { timeout: 240_000, ...needs('promtool') }, async () => {
  await follow(block('promtool check rules'));
});

it('is backed up, and its copy is staging', { timeout: 240_000 }, async () => {
  await follow(block('bot-directory-admin backup backups --with-keys'), { cwd: machine });
  expect(readdirSync(join(machine, 'backups'))).toHaveLength(1);
  await follow(block('bot-directory-admin import "$(ls'), { cwd: machine });
  const other = { REDIS_URL: staging.url, BASE_URL: 'https://staging.example.com', METRICS_ADDRESS: '' };
  const copy = await serve(other);
  expect(await namesAt(copy)).toEqual(await namesAt(server));
  await copy.stop();
});

it('gets a new password, process by process', { timeout: 240_000 }, async () => {
  await follow(block("'>a-new-password'"));
  write({ REDIS_URL: asUser('a-new-password') });
  const before = server;
  server = await serve({ METRICS_ADDRESS: '' });
  expect(await namesAt(before)).toHaveLength(2);
  await before.stop();
  await follow(block("'<change this password'"));
  const withdrawn = asUser('change this password');
  expect(spawnSync(requireRedisCli(), ['-u', withdrawn, 'ping'], { encoding: 'utf8' }).stderr).toContain('WRONGPASS');
  expect(await submit({})).toBeUndefined();
  await follow(block('bot-directory-admin check\n', 'audit --limit 5'));
});

it('renames a category', { timeout: 240_000 }, async () => {
  await follow(block('BOT_CATEGORIES='));
  await server.stop();
  server = await serve();
  await follow(block('bots --category Growth'));
  expect(await namesAt(server, '?category=Growth')).toHaveLength(1);
});

it('blocks what it does not want', { timeout: 240_000 }, async () => {
  expect(await submit({ author: '@spammer_a' })).toBeUndefined();
  await follow(block('bot-directory-admin block words'));
  expect(await submit({ author: '@spammer_a' })).toBe('submission_blocked');
  await follow(block('bot-directory-admin block host'));
  expect(await post('/api/webhooks/bots', { url: 'https://hooks.acme.com/bots' })).toBe('submission_blocked');
});
