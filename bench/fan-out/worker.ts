/**
 * Ours: the built service as ROLE=worker, alone in its process. Only Node's look-up of names and the trusted authority,
 * or the sender, are replaced.
 */
import { Resolver } from 'node:dns/promises';
import type { App } from '../../packages/server/src/app/start-app.ts';
import { createLog } from '../../packages/server/src/base/log.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { answerCalls } from '../support/child.ts';
import { addressOf } from './endpoints.ts';

export type WorkerCalls = typeof calls;

type Built = typeof import('../../packages/server/src/app/start-app.ts');

// Not the source: the way in which tsx compiles it keeps the names of functions, which makes every closure slow.
const { startApp } = (await import(new URL('../../packages/server/dist/app.js', import.meta.url).href)) as Built;

let app: App | undefined;
let sent = 0;
let expected: { count: number; resolve: () => void } | undefined;

const sendNothing = (): Promise<{ kind: 'delivered'; status: number }> => {
  if ((sent += 1) === expected?.count) expected.resolve();
  return Promise.resolve({ kind: 'delivered', status: 204 });
};

// Every contender has the addresses at once: looking them up is not what is compared.
const noAddress = Object.assign(new Error('no address'), { code: 'ENODATA' });
Object.assign(Resolver.prototype, {
  resolve4: (host: string) => Promise.resolve([addressOf(host)]),
  resolve6: () => Promise.reject(noAddress),
});

const calls = {
  /**
   * Starts a worker that sends to endpoints with certificates of `ca`. Without one it sends nothing, and every attempt
   * succeeds at once.
   */
  start: async ({ settings, ca }: { settings: Record<string, string>; ca?: string }) => {
    const config = readConfig({
      ...settings,
      ROLE: 'worker',
      HOST: '127.0.0.1',
      PORT: '0',
      TEMPLATE_HOST: 'templates.example.com',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    });
    app = await startApp(config, createLog('error'), ca === undefined ? { send: sendNothing } : { ca });
  },
  /** Waits for `count` more attempts of a worker that sends nothing. */
  expect: (count: number) => {
    sent = 0;
    return new Promise<void>((resolve) => (expected = { count, resolve }));
  },
  stop: async () => {
    await app?.stop();
  },
  cpuMs: () => process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3,
};

answerCalls(calls);
