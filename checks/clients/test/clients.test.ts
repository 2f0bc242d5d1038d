/**
 * Clients that others wrote: `curl`, an `EventSource` of the most used polyfill behind proxies that compress, and the
 * parser of a feed reader.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import express, { type RequestHandler } from 'express';
import { parseFeed } from 'feedsmith';
import { afterAll, describe, expect, it } from 'vitest';
import { limits, type Bot, type DirectoryEvent } from '@bot-directory/contract';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { needs } from '@bot-directory/testing/needs';
import { freePort } from '../../../scripts/port.mjs';
import { program } from '../../../scripts/programs.mjs';

const load = createRequire(import.meta.url);
const compression = load('compression') as () => RequestHandler;
type Source = {
  readonly addEventListener: (name: string, listener: (event: { readonly data: string }) => void) => void;
  readonly close: () => void;
};
const { EventSourcePolyfill } = load('event-source-polyfill') as {
  EventSourcePolyfill: new (url: string, options?: object) => Source;
};

let offsetMs = 0;
const cleanups: (() => unknown)[] = [];
const receiver = useStarted(startReceiver);
const service = useStarted(() =>
  startService({
    settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    world: { ca: receiver.ca, offsetMs: () => offsetMs },
  }),
);
afterAll(async () => {
  for (const clean of cleanups.reverse()) await clean();
});

/** nginx, as many run it: it compresses everything, also for clients of its own. */
const startNginx = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http {
      access_log off; gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1;
      client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
      uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
      server { listen 127.0.0.1:${port}; location / { proxy_pass ${service.url}; } }
    }`,
  );
  const nginx = spawn(program('nginx'), ['-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' });
  cleanups.push(async () => {
    nginx.kill();
    if (nginx.exitCode === null) await once(nginx, 'exit');
    await rm(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await until('nginx listens', () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return url;
};

/** A proxy with the middleware by which Node servers compress. It holds back what it compresses until it has enough. */
const startMiddleware = async (): Promise<string> => {
  const app = express().use(compression());
  app.use((req, res) => {
    const onward = request(`${service.url}${req.originalUrl}`, { headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    res.once('close', () => onward.destroy());
    onward.on('error', () => res.destroy()).end();
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe('an EventSource', () => {
  const followBehind = async (start: () => Promise<string>): Promise<void> => {
    const url = `${await start()}/api/events/stream`;
    const got: string[] = [];
    /** The polyfill sends `lastEventId` as a parameter when it connects again. */
    const open = async (search = ''): Promise<Source> => {
      const source = new EventSourcePolyfill(`${url}${search}`);
      cleanups.push(() => source.close());
      let isOpen = false;
      source.addEventListener('open', () => (isOpen = true));
      source.addEventListener('bot.created', ({ data }) => got.push((JSON.parse(data) as { data: Bot }).data.slug));
      await until('it is open', () => isOpen);
      return source;
    };
    const source = await open();
    const first = await service.publish('Live');
    await until('it has come', () => got.length === 1);
    source.close();
    const [last] = (await service.get<DirectoryEvent[]>('/api/events')).body.slice(-1);
    const missed = await service.publish('Missed');
    const resumed = await open(`?lastEventId=${last?.id ?? ''}`);
    await until('what it missed has come', () => got.length === 2);
    expect(got).toEqual([first, missed]);
    resumed.close();
  };
  const title = 'gets events at once, and after a new connection those that it lacks';
  it(`${title}, behind the middleware of Node servers`, () => followBehind(startMiddleware));
  it(`${title}, behind nginx`, needs('nginx'), () => followBehind(startNginx));
});

describe('a feed reader', () => {
  it('sees when an entry was published, that it changed, and that its feed did', async () => {
    const id = service.provider.template({ name: 'In feeds' });
    const { body } = await service.post<{ slug: string }>('/api/bots/submit', { link: service.link(id) });
    const read = async () => {
      const [atom, json] = await Promise.all(
        ['/bots.atom', '/bots.json'].map(async (path) =>
          parseFeed(await (await fetch(`${service.url}${path}`)).text()),
        ),
      );
      if (atom?.format !== 'atom' || json?.format !== 'json') throw new TypeError('these are not the feeds');
      const entry = atom.feed.entries?.find(({ title }) => JSON.stringify(title).includes('In feeds'));
      const item = json.feed.items?.find(({ title }) => title === 'In feeds');
      expect([item?.date_published, item?.date_modified]).toEqual([entry?.published, entry?.updated]);
      return { published: entry?.published, updated: entry?.updated, feed: atom.feed.updated };
    };
    const before = await read();
    expect(before.updated).toBe(before.published);
    offsetMs += limits.refreshSec * 1_000;
    service.provider.template({ name: 'In feeds', description: 'It says more now.' }, id);
    await service.post(`/api/bots/${body.slug}/refresh`, {});
    const after = await read();
    expect(after.published).toBe(before.published);
    expect(Date.parse(after.updated ?? '')).toBeGreaterThan(Date.parse(before.updated ?? ''));
    expect(after.feed).toBe(after.updated);
  });
});

describe('curl', () => {
  const curl = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('curl', ['-sS', ...words])).stdout;

  it('sends the URL of a webhook in a query, whatever is in it', async () => {
    const url = receiver.url('/hook?api-version=1&sp=x&sig=a%2Bb+c');
    await service.post('/api/webhooks/bots', { url });
    const encoded = ['--data-urlencode', `url=${url}`];
    const status = await curl('-G', `${service.url}/api/webhooks/bots/status`, ...encoded);
    expect(JSON.parse(status)).toMatchObject({ url, state: 'active' });
    expect(JSON.parse(await curl('-G', '-X', 'DELETE', `${service.url}/api/webhooks/bots`, ...encoded))).toEqual({
      url,
    });
  });

  it.each([[[]], [['-H', 'Content-Type: application/json']], [['-H', 'Content-Type: application/json', '-d', '']]])(
    'refreshes a bot without a body: %j',
    async (more) => {
      const slug = await service.publish('To refresh');
      const sent = await curl('-X', 'POST', ...more, `${service.url}/api/bots/${slug}/refresh`);
      expect(JSON.parse(sent)).toMatchObject({ slug, changed: [] });
    },
  );

  it('continues from the Last-Modified of a list', async () => {
    const dateOf = async (): Promise<string | null> => (await service.get('/api/bots')).headers.get('last-modified');
    // A list has no date until a later second has been checked.
    await until('the list is dated', async () => (await dateOf()) !== null);
    const since = `updated_since=${await dateOf()}`;
    const bots = JSON.parse(await curl('-G', `${service.url}/api/bots`, '--data-urlencode', since)) as Bot[];
    expect(bots.length).toBeGreaterThan(0);
  });

  it('sees that there is nothing at a path with a fragment', async () => {
    const status = await curl('-o', '/dev/null', '-w', '%{http_code}', '--request-target', '/#/x', service.url);
    expect(status).toBe('404');
  });
});
