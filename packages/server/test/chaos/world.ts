/** What a fault befalls: a store behind a network that can break, two web and two worker processes, three webhooks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliverySettings } from '../support/delivery.ts';
import { startProcess, type ServerProcess } from '../support/process.ts';
import { startProvider, templateHost } from '../support/provider.ts';
import { startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { stores, type ChaosStore, type StoreKind } from './stores.ts';

const paths = ['/a', '/b', '/c'];
const workerCount = 2;

export type World = Awaited<ReturnType<typeof startWorld>>;

/** Starts one whose processes are all ready and whose webhooks are registered. */
export const startWorld = async (kind: StoreKind) => {
  const store: ChaosStore = await stores[kind]();
  const [receiver, provider] = [await startReceiver(), await startProvider()];
  const arrivals = new Map<string, string[]>(paths.map((path) => [path, []]));
  receiver.respond(({ path, headers, body }, res) => {
    receiver.received.length = 0;
    const isEvent = headers['x-service-event'] === 'bot.created';
    if (isEvent) arrivals.get(path)?.push((JSON.parse(body.toString()) as { data: { slug: string } }).data.slug);
    res.writeHead(204).end();
  });
  const home = mkdtempSync(join(tmpdir(), 'bot-directory-chaos-'));
  writeFileSync(join(home, 'ca.pem'), receiver.ca);
  const settings = {
    ...deliverySettings,
    WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '1s').join(','),
    REDIS_URL: store.url,
    TEMPLATE_HOST: templateHost,
    TEMPLATE_ORIGIN: provider.origin,
    WRITE_RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
    NODE_EXTRA_CA_CERTS: join(home, 'ca.pem'),
  };
  const startWorker = (changed: Record<string, string> = {}): Promise<ServerProcess> =>
    startProcess({ ...settings, ...changed, ROLE: 'worker' });
  const webs = await Promise.all([1, 2].map(() => startProcess({ ...settings, ROLE: 'web' })));
  const workers = await Promise.all(Array.from({ length: workerCount }, () => startWorker()));
  const [web] = webs;
  if (web === undefined) throw new Error('no web process');
  await until('it is ready', async () => (await web.get('/readyz')).status === 200);
  for (const path of paths) await web.post('/api/webhooks/bots', { url: receiver.url(path) });
  return {
    kind,
    store,
    /** The address of each webhook, and the slugs that came to it, in order. */
    webhooks: paths.map((path) => ({ url: receiver.url(path), arrivals: arrivals.get(path) ?? [] })),
    webs,
    web,
    workers,
    /** Makes a template, and gives what a submission of it says. */
    submission: (name: string) => ({ link: `https://${templateHost}/bot/${provider.template({ name })}` }),
    /** Ends a worker with -9 and starts another in its place. */
    replaceWorker: async (number: number, changed: Record<string, string> = {}): Promise<void> => {
      await workers[number]?.kill();
      workers[number] = await startWorker(changed);
    },
    stop: async (): Promise<void> => {
      await Promise.all([...webs, ...workers].map((process) => process.stop()));
      await Promise.all([receiver.stop(), provider.stop()]);
      await store.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
};
