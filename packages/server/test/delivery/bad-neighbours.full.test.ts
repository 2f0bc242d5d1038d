import { beforeEach, expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { startNames } from '@bot-directory/testing/name-server';
import { startReceiver, type Respond } from '@bot-directory/testing/receiver';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const addresses: Record<string, string[]> = {};
useStarted(() => startNames((name) => addresses[name] ?? 'NXDOMAIN'));
const bad = useStarted(startReceiver);
const test = useStarted(() =>
  startDelivery({
    settings: {
      WEBHOOK_TIMEOUT: '3s',
      WEBHOOK_LEASE: '6s',
      WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '10m').join(','),
    },
  }),
);
beforeEach(() => bad.respond(204));

/** Sends a head that never ends, letter by letter. */
const dripHead: Respond = (_received, res) => {
  let at = 0;
  const timer = setInterval(() => res.socket?.write('HTTP/1.1 200 OK\r\n'.charAt(at++) || 'X-Drip: 1\r\n'), 20);
  res.on('close', () => clearInterval(timer));
};
const dripBody: Respond = (_received, res) => {
  res.writeHead(500);
  const timer = setInterval(() => res.write('x'), 20);
  res.on('close', () => clearInterval(timer));
};

const registerBad = async (path: string): Promise<string> => {
  const url = path.startsWith('https:') ? path : bad.url(path);
  expect((await test.post('/api/webhooks/bots', { url })).status).toBe(200);
  return url;
};
const failureOf = async (url: string): Promise<string | null> =>
  (await test.get<{ last_failure: string | null }>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`)).body
    .last_failure;

it.each<[string, Respond, string]>([
  ['hangs', () => undefined, 'timeout'],
  ['drips its head', dripHead, 'timeout'],
  ['drips its body', dripBody, 'status'],
  ['resets the connection', (_received, res) => res.destroy(), 'connect'],
  ['redirects', (_received, res) => res.writeHead(307, { Location: '/elsewhere' }).end(), 'status'],
])('ends an attempt on an endpoint that %s, while its neighbours get their events', async (what, respond, failure) => {
  const path = `/good/${what.replaceAll(' ', '-')}`;
  await test.register(path);
  const urls = await Promise.all(Array.from({ length: 20 }, (_, i) => registerBad(`${path}/${i}`)));
  bad.received.length = 0;
  bad.respond(respond);
  const slugs = [];
  for (let i = 0; i < 5; i += 1) slugs.push(await test.publish(`${what} ${i}`));
  await until('the good one has all', () => test.receiver.events(path).length === slugs.length);
  expect(test.slugs(path)).toEqual(slugs);
  for (const url of urls) await until(`${url} has failed`, async () => (await failureOf(url)) === failure);
  expect(bad.received.some((received) => received.path === '/elsewhere')).toBe(false);
  for (const url of urls) await test.api('DELETE', '/api/webhooks/bots', { body: { url } });
});

it('connects once for each attempt on an endpoint that hangs', async () => {
  bad.respond((_received, res) => res.writeHead(204, { Connection: 'close' }).end());
  addresses['alone.hooks.example.com'] = ['127.0.0.1'];
  const url = await registerBad(`https://alone.hooks.example.com:${bad.port}/hangs-alone`);
  bad.respond(() => undefined);
  const connections = bad.connections;
  await test.publish('Hangs alone');
  await until('it has failed', async () => (await failureOf(url)) === 'timeout');
  await test.publish('A moment later');
  expect(bad.connections - connections).toBe(1);
  await test.api('DELETE', '/api/webhooks/bots', { body: { url } });
});

it('accepts a 2xx with an endless body as a success, and reads no more than it must', async () => {
  const url = await registerBad('/endless');
  let sent = 0;
  bad.respond((_received, res) => {
    res.writeHead(200);
    const more = (): void => {
      while (!res.destroyed) {
        sent += 65_536;
        if (!res.write(Buffer.alloc(65_536))) return void res.once('drain', more);
      }
    };
    more();
  });
  await test.publish('Endless');
  await until(
    'it is done',
    async () =>
      (await test.get<{ pending_events: number }>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`)).body
        .pending_events === 0,
  );
  expect(await failureOf(url)).toBeNull();
  // The 16 KB that are read, and what the kernel's buffers on both sides may hold.
  expect(sent).toBeLessThan(20 * 1_048_576);
  await test.api('DELETE', '/api/webhooks/bots', { body: { url } });
});

it('refuses a name at its delivery, if it points to a forbidden address by then', async () => {
  addresses['moves.hooks.example.com'] = ['127.0.0.1'];
  const url = await registerBad(`https://moves.hooks.example.com:${bad.port}/moves`);
  // An open connection may be used, because its address was checked. So each is closed: the next must be opened.
  bad.respond((_received, res) => res.writeHead(204, { Connection: 'close' }).end());
  await test.publish('Moves 1');
  await until('it is delivered', () => bad.events('/moves').length === 1);
  addresses['moves.hooks.example.com'] = ['127.0.0.1', '10.0.0.1'];
  const connections = bad.connections;
  await test.publish('Moves 2');
  await until('it is refused', async () => (await failureOf(url)) === 'forbidden_address');
  expect([bad.connections, bad.events('/moves').length]).toEqual([connections, 1]);
});

it('reports dns for a name that is gone', async () => {
  addresses['gone.hooks.example.com'] = ['127.0.0.1'];
  bad.respond((_received, res) => res.writeHead(204, { Connection: 'close' }).end());
  const url = await registerBad(`https://gone.hooks.example.com:${bad.port}/gone`);
  delete addresses['gone.hooks.example.com'];
  await test.publish('Gone');
  await until('it has failed', async () => (await failureOf(url)) === 'dns');
});
