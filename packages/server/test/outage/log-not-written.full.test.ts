import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { spawn, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../../../../scripts/port.mjs';
import { until } from '@bot-directory/testing/until';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

/** Starts the service with its log on `stdout`. `fileBlocks`: the most blocks of 512 bytes that a file may have. */
const startOn = async (stdout: number | 'pipe', fileBlocks?: number) => {
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    TEMPLATE_HOST: 'templates.example.com',
    HOST: '127.0.0.1',
    PORT: String(port),
    SHUTDOWN_DELAY: '0s',
    LOG_LEVEL: 'debug',
  };
  // A process that ignores the signal for too large a file gets an error instead, as it does from a full disk.
  const script = fileBlocks === undefined ? 'exec "$0" "$1"' : `trap "" XFSZ; ulimit -f ${fileBlocks}; exec "$0" "$1"`;
  const child = spawn('sh', ['-c', script, process.execPath, main], { env, stdio: ['ignore', stdout, 'inherit'] });
  children.push(child);
  const url = `http://127.0.0.1:${port}`;
  const get = (path: string): Promise<string> => fetch(url + path).then((response) => response.text());
  await until('it is healthy', () =>
    get('/healthz').then(
      () => true,
      () => false,
    ),
  );
  return {
    get,
    child,
    /** Makes the service log about 8 KB. */
    logMuch: () => get(`/${'a'.repeat(8_000)}`),
    dropped: async () => Number(/^log_lines_dropped_total (\d+)$/m.exec(await get('/metrics'))?.[1]),
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      return (await exited)[0] as number | null;
    },
  };
};

it('serves, counts what it drops and stops when its log is on a full disk', async () => {
  const service = await startOn(openSync('/dev/full', 'w'));
  await service.logMuch();
  expect(await service.get('/healthz')).toContain('ok');
  expect(await service.dropped()).toBeGreaterThan(1);
  expect(await service.stop()).toBe(0);
});

it('says how many lines it dropped once its disk has room again, and every line stays whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const file = join(folder, 'log');
  const service = await startOn(openSync(file, 'a'), 64);
  for (let i = 0; i < 6; i += 1) await service.logMuch();
  const dropped = await service.dropped();
  expect(dropped).toBeGreaterThan(1);
  truncateSync(file, 0);
  await service.get('/nothing');
  expect(await service.stop()).toBe(0);
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const reports = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(reports[0]).toMatchObject({ level: 'warn', msg: 'log lines were dropped' });
  expect(reports[0]?.['lines']).toBeGreaterThanOrEqual(dropped);
  expect(reports).toContainEqual(expect.objectContaining({ path: '/nothing' }));
  rmSync(folder, { recursive: true });
});

it('serves, counts what it drops and stops when nobody reads its log, and goes on when somebody does', async () => {
  const service = await startOn('pipe');
  await until('lines are dropped', async () => {
    for (let i = 0; i < 50; i += 1) await service.logMuch();
    return (await service.dropped()) > 0;
  });
  let output = '';
  service.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await until('it says what it dropped', async () => {
    await service.get('/nothing');
    return output.includes('"msg":"log lines were dropped"');
  });
  service.child.stdout?.pause();
  await until('lines are dropped again', async () => {
    const before = await service.dropped();
    for (let i = 0; i < 50; i += 1) await service.logMuch();
    return (await service.dropped()) > before;
  });
  expect(await service.stop()).toBe(0);
});

it('serves and stops when the reader of its log leaves', async () => {
  const service = await startOn('pipe');
  service.child.stdout?.destroy();
  await until('lines are dropped', async () => {
    await service.logMuch();
    return (await service.dropped()) > 0;
  });
  expect(await service.stop()).toBe(0);
});
