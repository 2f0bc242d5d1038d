/**
 * What a fault strikes: a store behind a network that can break, two web and two worker processes, three webhooks.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliverySettings, shortLease } from '@bot-directory/testing/delivery';
import { startProcess, type ServerProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost } from '@bot-directory/testing/provider';
import { startReceiver } from '@bot-directory/testing/receiver';
import { until } from '@bot-directory/testing/until';
import { stores, type ChaosStore, type StoreKind } from './stores.ts';

/** The webhooks, and what clients write and from where: none of it may be in a log. */
const paths = ['/a?token=tell-nobody', '/b?token=tell-nobody', '/c?token=tell-nobody'];
const description = 'Whispered in confidence';
/** A text that only this bot has. */
export const textOf = (name: string): string => `q${name.replace(/\D/g, '')}q`;
const author = '@quietly';
export const clientAddress = '203.0.113.77';
export const secret = /tell-nobody|whispered|quietly|203\.0\.113\.77/i;

/** The most connections of one address that is no proxy of ours. */
export const connectionsPerAddress = 50;
const stopMs = 60_000;

export type World = Awaited<ReturnType<typeof startWorld>>;

/** Starts a world. Its processes are ready, and its webhooks are registered. */
export const startWorld = async (kind: StoreKind) => {
  const store: ChaosStore = await stores[kind]();
  const { receiver, arrivals } = await startSubscribers();
  const provider = await startProvider();
  const home = mkdtempSync(join(tmpdir(), 'bot-directory-chaos-'));
  writeFileSync(join(home, 'ca.pem'), receiver.ca);
  const settings = { REDIS_URL: store.url, TEMPLATE_ORIGIN: provider.origin };
  const { startWeb, startWorker, logs } = starters({ ...settings, NODE_EXTRA_CA_CERTS: join(home, 'ca.pem') });
  const webs = await Promise.all([startWeb(), startWeb()]);
  const workers = await Promise.all([startWorker(), startWorker()]);
  const [web] = webs;
  await until('it is ready', async () => (await web.get('/readyz')).status === 200);
  for (const path of paths) await web.post('/api/webhooks/bots', { url: receiver.url(path) });
  return {
    kind,
    store,
    /** A folder of its own. */
    home,
    /** The address of each webhook, and the slugs that came to it, in order. */
    webhooks: paths.map((path) => ({ url: receiver.url(path), arrivals: arrivals.get(path) ?? [] })),
    webs,
    workers,
    logs,
    /** Starts one more web process. It is ready. */
    oneMoreWeb: async (): Promise<ServerProcess> => {
      const more = await startWeb();
      await until('it is ready', async () => (await more.get('/readyz')).status === 200);
      return more;
    },
    get web(): ServerProcess {
      return webs[0];
    },
    /** Makes a template. Returns the body of its submission. */
    submission: (name: string) => ({
      link: `https://${templateHost}/bot/${provider.template({ name, description: `${description}: ${textOf(name)}.` })}`,
      author,
    }),
    /** Ends a worker with -9 and starts another in its place. */
    replaceWorker: async (number: number, changed: Record<string, string> = {}): Promise<void> => {
      await workers[number]?.kill();
      workers[number] = await startWorker(changed);
    },
    /** Ends a worker as a deployment does, once there is another. Returns its exit code. */
    retireWorker: async (number: number, changed: Record<string, string> = {}): Promise<number | null> => {
      const old = workers[number];
      workers[number] = await startWorker(changed);
      return endInTime(old);
    },
    /** Ends a web process as a deployment does: it gets requests until it reports that it is no longer ready. */
    retireWeb: async (number: number): Promise<number | null> => {
      const old = webs[number];
      const fresh = await startWeb();
      await until('the new one is ready', async () => (await fresh.get('/readyz')).status === 200);
      const ended = endInTime(old);
      await until('the old one says so', async () => (await old?.get('/readyz'))?.status === 503);
      webs[number] = fresh;
      return ended;
    },
    stop: async (): Promise<void> => {
      await Promise.all([...webs, ...workers].map((process) => process.stop()));
      await Promise.all([receiver.stop(), provider.stop()]);
      await store.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
};

const startSubscribers = async () => {
  const receiver = await startReceiver();
  const arrivals = new Map<string, string[]>(paths.map((path) => [path, []]));
  receiver.respond(({ path, headers, body }, res) => {
    receiver.received.length = 0;
    const isEvent = headers['x-service-event'] === 'bot.created';
    if (isEvent) arrivals.get(path)?.push((JSON.parse(body.toString()) as { data: { slug: string } }).data.slug);
    res.writeHead(204).end();
  });
  return { receiver, arrivals };
};

/** Starts processes, and keeps their logs after they have ended. */
const starters = (given: Record<string, string>) => {
  const all: ServerProcess[] = [];
  const start = async (settings: Record<string, string>): Promise<ServerProcess> => {
    const process = await startProcess({
      ...deliverySettings,
      ...shortLease,
      WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '1s').join(','),
      TEMPLATE_HOST: templateHost,
      WRITE_RATE_LIMIT: '0',
      LOG_LEVEL: 'debug',
      ...given,
      ...settings,
    });
    all.push(process);
    return process;
  };
  return {
    startWeb: () =>
      start({
        ROLE: 'web',
        TRUST_PROXY: '127.0.0.1/32',
        REQUEST_TIMEOUT: '3s',
        CONNECTIONS_PER_ADDRESS: String(connectionsPerAddress),
        // One client registers thousands, and may have a tenth.
        WEBHOOKS_PER_HOST: '50000',
        SHUTDOWN_DELAY: '2s',
        NODE_OPTIONS: '--max-old-space-size=128',
      }),
    startWorker: (changed: Record<string, string> = {}) => start({ ...changed, ROLE: 'worker' }),
    logs: () => all.map((process) => process.output()),
  };
};

const endInTime = async (process: ServerProcess | undefined): Promise<number | null> => {
  const code = process?.stop() ?? null;
  await until('it has ended', () => process?.hasExited() !== false, stopMs);
  return code;
};
