import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../packages/testing/src/until.ts';
import { freePort, isTaken } from '../port.mjs';

const script = join(import.meta.dirname, '../start.mjs');

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'start-test-'));
  cleanups.push(() => rmSync(dir, { recursive: true }));
  return dir;
};

/** Outside of `npm test` it installs and builds first, which takes minutes on a busy machine. */
const installMs = 300_000;

/**
 * Runs `npm start` with these settings and no others. Resolves when it has printed its start, or has ended. `.ci/run`
 * tests the start from a fresh clone.
 */
const start = async (settings: Record<string, string>, args: readonly string[] = []) => {
  const { PATH, HOME, INSIDE_NPM_TEST } = process.env;
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH, HOME, INSIDE_NPM_TEST, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const stop = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  cleanups.push(() => stop('SIGKILL'));
  let output = '';
  const said = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('Ctrl-C stops everything')) resolve();
      });
    }
  });
  await Promise.race([said, ended]);
  return {
    get output() {
      return output;
    },
    ended,
    stop,
  };
};

/** Sends what the printed curl line would send. */
const submitAsShown = (output: string): Promise<Response> => {
  const [, url = '', header = '', type = '', body = ''] =
    /curl -sS (\S+) -H '(\S+): (\S+)' -d '(.+)'/.exec(output) ?? [];
  return fetch(url, { method: 'POST', headers: { [header]: type }, body });
};

const listOf = async (base: string) =>
  (await (await fetch(`${base}/api/bots`)).json()) as { slug: string; install_count: number }[];

const portOf = (url: string): number => Number(new URL(url).port);

test(
  'serves a directory, shows lines that work, keeps what was submitted, and leaves nothing running',
  async () => {
    const settings = { PORT: String(await freePort()), DATA_DIR: folder() };
    const first = await start(settings);
    expect(first.output).toContain(`The directory is at http://localhost:${settings.PORT}`);
    const urls = [...first.output.matchAll(/^ {2}(http\S+)$|(http:\/\/127\S+\/)/gm)].map(
      ([, shown, provider]) => shown ?? provider ?? '',
    );
    expect(urls.length).toBeGreaterThanOrEqual(3);
    for (const url of urls) expect((await fetch(url)).status, url).toBe(200);

    const submitted = await submitAsShown(first.output);
    expect(submitted.status).toBe(200);
    const { slug, url } = (await submitted.json()) as { slug: string; url: string };
    const base = `http://localhost:${settings.PORT}`;
    expect((await fetch(new URL(url, base))).status).toBe(200);

    await until('the delivery of what was submitted is printed', () =>
      /^bot\.created: Weekly SEO Report, signature verified, \d+ ms after it was submitted$/m.test(first.output),
    );
    expect(await listOf(base)).toHaveLength(13);
    const posts = (await (await fetch(`${base}/api/feed`)).json()) as unknown[];
    expect(posts).toHaveLength(2);
    expect((await listOf(base)).map(({ install_count }) => install_count > 0)).toContain(true);

    const redis = JSON.parse(readFileSync(join(settings.DATA_DIR, 'redis', 'running.json'), 'utf8')) as {
      port: number;
    };
    expect(await first.stop('SIGINT')).toBe(0);
    const subscriber = /A subscriber prints each delivery here: (\S+)/.exec(first.output)?.[1] ?? '';
    for (const port of [Number(settings.PORT), redis.port, portOf(subscriber), ...urls.map(portOf)])
      expect(await isTaken(port)).toBe(false);

    const second = await start(settings);
    expect(second.output).not.toContain('The demo published');
    expect(await listOf(base)).toHaveLength(13);
    expect(await listOf(base)).toContainEqual(expect.objectContaining({ slug }));
    expect((await submitAsShown(second.output)).status).toBe(200);
    // The webhook of the first start was removed at its end.
    await until('the second subscriber has it, too', () => second.output.includes('bot.created: Stand-up Collector'));
    expect(await second.stop('SIGTERM')).toBe(0);
  },
  installMs,
);

test.each([{ DEMO: '0' }, { flag: '--no-demo' }, { TEMPLATE_HOST: 'templates.example.com' }])(
  'publishes nothing and starts no subscriber with %o',
  async ({ flag, ...given }) => {
    const settings = { PORT: String(await freePort()), DATA_DIR: folder(), ...given };
    const { output, stop } = await start(settings, flag === undefined ? [] : [flag]);
    expect(output).toContain('The directory is at');
    expect(output).not.toMatch(/demo published|subscriber/);
    expect(await listOf(`http://localhost:${settings.PORT}`)).toEqual([]);
    expect(existsSync(join(settings.DATA_DIR, 'tls'))).toBe(false);
    expect(await stop('SIGTERM')).toBe(0);
  },
);

test('says that the port asked for is taken', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  cleanups.push(() => squatter.close());
  await once(squatter, 'listening');
  const { port } = squatter.address() as { port: number };
  const { output, ended } = await start({ PORT: String(port), DATA_DIR: folder() });
  expect(await ended).toBe(1);
  expect(output).toContain(`Port ${String(port)} is taken`);
});

test('ends with the exit code of a server that cannot start', async () => {
  const { output, ended } = await start({
    PORT: String(await freePort()),
    DATA_DIR: folder(),
    WEBHOOK_TIMEOUT: 'soon',
  });
  expect(await ended).toBe(1);
  expect(output).toContain('WEBHOOK_TIMEOUT');
});

test('serves without its Redis, at an address that is not its public one', async () => {
  const settings = {
    PORT: String(await freePort()),
    BASE_URL: 'https://directory.example.com',
    REDIS_URL: `redis://127.0.0.1:${String(await freePort())}`,
  };
  const { output, stop } = await start(settings);
  expect(output).toContain('The directory is at https://directory.example.com\n');
  expect((await fetch(`http://localhost:${settings.PORT}/healthz`)).status).toBe(200);
  expect(await stop('SIGTERM')).toBe(0);
});
