import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { runToEnd, spawnProcess, startProcess } from '@bot-directory/testing/process';
import { openRaw } from '@bot-directory/testing/raw-http';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const redis = useStarted(startTestRedis);

const good = { TEMPLATE_HOST: 'templates.example.com' };

// `src/config.test.ts` has all values that are refused.
it.each([
  ['TEMPLATE_HOST', { TEMPLATE_HOST: '' }],
  ['PORT', { PORT: '99999' }],
  ['TRUST_PROXY', { TRUST_PROXY: 'nonsense' }],
])('stops at a bad %s, and names it', async (name, settings) => {
  const { code, output } = await runToEnd('main.js', { ...good, ...settings });
  expect(code).toBe(1);
  expect(output).toMatch(new RegExp(`^Settings: .*${name}`));
  expect(output.trim().split('\n')).toHaveLength(1);
});

it('starts with any time-out, of an odd number of milliseconds too', async () => {
  const server = await startProcess({ ...good, REQUEST_TIMEOUT: '1501ms' });
  expect(server.hasExited()).toBe(false);
  await server.stop();
});

it('names every bad setting at once', async () => {
  const { output } = await runToEnd('main.js', { PORT: 'x', ROLE: 'boss' });
  for (const name of ['PORT', 'ROLE', 'TEMPLATE_HOST']) expect(output).toContain(name);
});

it('stops at once on a signal that comes while it loads', async () => {
  // Sends each signal as soon as somebody listens.
  const early = `
    const { on } = process;
    process.on = function (name, ...rest) {
      on.call(this, name, ...rest);
      if (name === process.env.EARLY) process.kill(process.pid, name);
      return this;
    };`;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    const options = `--import=data:text/javascript,${encodeURIComponent(early)}`;
    const { code, output } = await runToEnd('main.js', { ...good, NODE_OPTIONS: options, EARLY: signal });
    // No line: it has not begun to start.
    expect([signal, code, output]).toEqual([signal, 0, '']);
  }
});

it('opens no debugger on SIGUSR1', async () => {
  const server = await startProcess({ ...good });
  process.kill(server.pid, 'SIGUSR1');
  for (let i = 0; i < 5; i += 1) expect((await server.get('/healthz')).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(server.output()).not.toMatch(/debugger/i);
});

it.each(['SIGTERM', 'SIGHUP'] as const)(
  'finishes what is in flight on %s, closes its connection, accepts nothing new, and exits with 0',
  async (signal) => {
    let answer: (() => void) | undefined;
    const provider = createServer((_req, res) => {
      answer = () => res.setHeader('Content-Type', 'application/json').end(`{"name":"Kept ${signal}"}`);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => provider.once('listening', resolve));
    const server = await startProcess({
      ...good,
      REDIS_URL: redis.url,
      TEMPLATE_ORIGIN: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, path: string, body = ''): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
        request(`${server.url}${path}`, { agent, method, headers }, (res) =>
          res.resume().on('end', () => resolve(`${res.statusCode ?? 0} ${res.headers.connection ?? ''}`)),
        )
          .on('error', reject)
          .end(body);
      });
    const first = ask('POST', '/api/bots/submit', `{"link":"https://templates.example.com/bot/kept-${signal}"}`);
    await until('the template is asked for', () => answer !== undefined);
    process.kill(server.pid, signal);
    await until('it accepts nobody', () =>
      fetch(`${server.url}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    answer?.();
    expect(await first).toBe('200 close');
    expect(await server.ended()).toBe(0);
    agent.destroy();
    provider.close();
  },
);

it('takes a signal that comes twice as one, and skips the delay at a later one', async () => {
  const server = await startProcess({ ...good, REDIS_URL: redis.url, SHUTDOWN_DELAY: '1m' });
  for (let time = 0; time < 2; time += 1) process.kill(server.pid, 'SIGTERM');
  await until('it is not ready', async () => (await server.get('/readyz')).status === 503);
  expect((await server.get('/healthz')).status).toBe(200);
  let code: number | null | undefined;
  void server.ended().then((ended) => (code = ended));
  await until('it has ended', () => {
    if (code === undefined) process.kill(server.pid, 'SIGTERM');
    return code !== undefined;
  });
  expect(code).toBe(0);
});

it('exits with 0 on SIGTERM while it still waits for Redis, and while Redis hangs', async () => {
  const away = await startTestRedis();
  await away.kill();
  const early = spawnProcess({ ...good, REDIS_URL: away.url });
  await until('it reports', () => early.output().includes('unreachable'));
  expect(await early.stop()).toBe(0);
  await away.restart();
  const late = await startProcess({ ...good, REDIS_URL: away.url });
  process.kill(away.pid, 'SIGSTOP');
  expect(await late.stop()).toBe(0);
  process.kill(away.pid, 'SIGCONT');
  await away.stop();
});

it.each([
  ['info', ['POST /api/feed 400', 'GET /api/bots 400', 'GET /api/bots/none 404', 'GET /nothing 404']],
  [
    'debug',
    [
      'GET /healthz 200',
      'POST /api/feed 400',
      'GET /api/bots 400',
      'GET /api/bots 200',
      'GET /api/bots/none 404',
      'GET /nothing 404',
      'GET / 200',
    ],
  ],
])('logs writes and failures, and at debug every request: %s', async (level, expected) => {
  const server = await startProcess({
    ...good,
    REDIS_URL: redis.url,
    WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8',
    LOG_LEVEL: level,
  });
  await server.post('/api/feed', { url: 'x' });
  for (const path of ['/api/bots?limit=0', '/api/bots?limit=1', '/api/bots/none', '/nothing', '/'])
    await server.get(path);
  await server.stop();
  const lines = server
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', msg: expect.stringContaining('WEBHOOK_ALLOWED_NETWORKS') as string }),
  );
  const requests = lines.filter(({ msg }) => msg === 'request');
  const shown = requests.map(({ method, path, status }) => [method, path, status].join(' '));
  expect([...new Set(shown)].sort()).toEqual([...expected].sort());
  for (const line of requests) {
    expect(line).toMatchObject({
      duration_ms: expect.any(Number) as number,
      complete: true,
      request_id: expect.stringMatching(/^req_/) as string,
    });
  }
});

it('survives clients that ask it to be a proxy and reset the connection', async () => {
  const server = await startProcess(good);
  for (let i = 0; i < 20; i += 1) {
    const { socket, closed } = openRaw(server.url);
    await once(socket, 'connect');
    socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.resetAndDestroy());
    await closed;
  }
  expect((await server.get('/healthz')).status).toBe(200);
  expect(await server.stop()).toBe(0);
});
