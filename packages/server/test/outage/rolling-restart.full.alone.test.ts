/** A stop cuts nobody: processes are replaced one by one under load, behind balancers of both kinds. */
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { startHttpBalancer, startTcpBalancer } from '@bot-directory/testing/balancer';
import { startClient } from '@bot-directory/testing/client';
import { publishMany } from '@bot-directory/testing/many-events';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost } from '@bot-directory/testing/provider';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

/** A list that is more than all buffers on its way hold. */
const list = { count: 750, descriptionBytes: 12_000 };
const downloadsOfEach = 3;
/**
 * How long after its signal a process has slow readers: longer than it goes on accepting. Readers who are slow for as
 * long as a stop may take are cut off, and on a busy machine all would be.
 */
const slowForMs = 4_000;

let processes: ServerProcess[] = [];
const redis = useStarted(startTestRedis);
const provider = useStarted(startProvider);
beforeAll(async () => {
  await publishMany(redis.url, list);
  // A page of these is what the clients read.
  await publishMany(redis.url, { count: 5, descriptionBytes: 100 });
});
afterEach(async () => {
  for (const process of processes) await process.kill();
  processes = [];
});

const startOne = async (): Promise<ServerProcess> => {
  const process = await startProcess({
    REDIS_URL: redis.url,
    TEMPLATE_HOST: templateHost,
    TEMPLATE_ORIGIN: provider.origin,
    WRITE_RATE_LIMIT: '0',
    // On a busy machine, the balancer checks late.
    SHUTDOWN_DELAY: '3s',
  });
  processes.push(process);
  return process;
};

/**
 * Reads the whole list, slowly while `isSlow`. `begun` resolves with its first bytes, `ended` with whether all of it
 * came.
 */
const startDownload = (url: string, isSlow: () => boolean) => {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const ended = new Promise<boolean>((resolve) => {
    get(`${url}/api/bots`, { agent: false }, (res) => {
      let bytes = 0;
      res.on('data', (chunk: Buffer) => {
        begin();
        bytes += chunk.length;
        if (!isSlow()) return;
        res.pause();
        setTimeout(() => res.resume(), 50);
      });
      res.on('close', () => resolve(res.complete && bytes === Number(res.headers['content-length'])));
    }).on('error', () => {
      begin();
      resolve(false);
    });
  });
  return { begun, ended };
};

it('loses no request behind an HTTP balancer and a TCP balancer', async () => {
  const balancers = await Promise.all([startHttpBalancer(), startTcpBalancer()]);
  const areReady = (url: string): boolean => balancers.every((balancer) => balancer.isReady(url));
  const add = (url: string): void => balancers.forEach(({ backends }) => void backends.add(url));
  const serving = await Promise.all([startOne(), startOne()]);
  for (const { url } of serving) add(url);
  await until('both are ready', () => serving.every(({ url }) => areReady(url)));
  const clients = balancers.flatMap(({ url }) => Array.from({ length: 15 }, () => startClient(url)));
  const codes: (number | null)[] = [];
  const downloads: Promise<boolean>[] = [];
  for (const old of serving) {
    const fresh = await startOne();
    add(fresh.url);
    await until('both balancers know that it is ready', () => areReady(fresh.url));
    let isSlow = true;
    const slow = Array.from({ length: downloadsOfEach }, () => startDownload(old.url, () => isSlow));
    await Promise.all(slow.map(({ begun }) => begun));
    downloads.push(...slow.map(({ ended }) => ended));
    const stopped = old.stop();
    await sleep(slowForMs);
    isSlow = false;
    codes.push(await stopped);
    for (const { backends } of balancers) backends.delete(old.url);
    processes = processes.filter((process) => process !== old);
  }
  const results = await Promise.all(clients.map((client) => client.stop()));
  await Promise.all(balancers.map((balancer) => balancer.stop()));
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  for (const { answered } of results) expect(answered).toBeGreaterThan(1);
  expect(codes).toEqual([0, 0]);
  expect(await Promise.all(downloads)).toEqual(downloads.map(() => true));
});
