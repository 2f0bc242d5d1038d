/**
 * The cost of a call through the SDK, compared with a bare `fetch` and `JSON.parse` of the same response. The server
 * writes prepared bytes in a process of its own; the two take turns, and medians of many short rounds are compared.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { exampleBot } from '@bot-directory/contract';
import { createClient } from '@bot-directory/sdk';
import { writeResult, type Figure } from './support/results.ts';

const rounds = 31;
const callsPerRound = 300;
const atOnce = 10;

const serve = async (): Promise<void> => {
  const page = JSON.stringify(Array.from({ length: 20 }, () => exampleBot));
  const server = createServer((request, response) => {
    request.resume();
    const body = request.url?.includes('?') === true ? page : JSON.stringify(exampleBot);
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
};

/** Milliseconds for one round. */
const timed = async (call: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let done = 0; done < callsPerRound / atOnce; done++) await call();
    }),
  );
  return performance.now() - startedAt;
};

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const figures: Figure[] = [];

const compare = async (name: string, bare: () => Promise<unknown>, sdk: () => Promise<unknown>): Promise<void> => {
  const times = { bare: [] as number[], sdk: [] as number[] };
  for (let round = -3; round < rounds; round++) {
    const first = await timed(bare);
    const second = await timed(sdk);
    if (round < 0) continue;
    times.bare.push(first);
    times.sdk.push(second);
  }
  const [bareUs, sdkUs] = [times.bare, times.sdk].map((values) => (median(values) / callsPerRound) * 1_000);
  if (bareUs === undefined || sdkUs === undefined) return;
  figures.push({ name, who: 'SDK', value: Math.round(sdkUs), unit: 'µs' });
  figures.push({ name, who: 'bare fetch', value: Math.round(bareUs), unit: 'µs' });
  console.log(
    `${name.padEnd(22)} ${(sdkUs / bareUs).toFixed(2)} × bare fetch   (${sdkUs.toFixed(0)} µs against ${bareUs.toFixed(0)} µs a call)`,
  );
};

const measure = async (): Promise<void> => {
  const server = fork(fileURLToPath(import.meta.url), ['serve']);
  const [port] = (await once(server, 'message')) as [number];
  const baseUrl = `http://127.0.0.1:${port}`;
  const directory = createClient({ baseUrl });
  const { signal } = new AbortController();
  const bareFetch = (path: string, init?: RequestInit) => async (): Promise<unknown> =>
    (await fetch(`${baseUrl}${path}`, init)).json();
  await compare('bots.get', bareFetch('/api/bots/a'), () => directory.bots.get({ slug: 'a' }));
  await compare('bots.get, with signal', bareFetch('/api/bots/a', { signal: AbortSignal.timeout(60_000) }), () =>
    directory.bots.get({ slug: 'a' }, { signal }),
  );
  await compare('bots.list, 20 bots', bareFetch('/api/bots?limit=20'), () => directory.bots.list({ limit: 20 }));
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: 'https://templates.example.com/bot/1' }),
  };
  await compare('bots.submit', bareFetch('/api/bots/submit', post), () =>
    directory.bots.submit({ link: 'https://templates.example.com/bot/1' }),
  );
  server.kill();
  console.log(writeResult('sdk', figures));
};

await (process.argv[2] === 'serve' ? serve() : measure());
