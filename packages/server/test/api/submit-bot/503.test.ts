import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import type { TemplateHandler } from '@bot-directory/testing/provider';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';
import { within } from '@bot-directory/testing/within';

const service = useStarted(startService);

const json =
  (body: string): TemplateHandler =>
  (_req, res) =>
    void res.setHeader('Content-Type', 'application/json').end(body);

/** Responds with a page that never ends, whose beginning alone would be a valid page. */
const endless: TemplateHandler = (_req, res) => {
  res.setHeader('Content-Type', 'text/html');
  res.write('<title>Endless</title>');
  const chunk = Buffer.alloc(65_536, 'x');
  let sent = 0;
  const more = (): void => {
    while (sent < 100 * 1_048_576 && !res.destroyed) {
      sent += chunk.length;
      if (!res.write(chunk)) return void res.once('drain', more);
    }
    res.end();
  };
  more();
};

describe('submitting a bot', () => {
  it.each<[string, TemplateHandler]>([
    ['500', (_req, res) => res.writeHead(500).end()],
    ['403', (_req, res) => res.writeHead(403).end()],
    ['204', (_req, res) => res.writeHead(204).end()],
    ['garbage that says it is JSON', json('{"name":')],
    ['JSON without a name', json('{"description":"d"}')],
    ['an empty name', json('{"name":" \\u0000 "}')],
    ['JSON that is no object', json('[1]')],
    ['an image', (_req, res) => void res.setHeader('Content-Type', 'image/png').end('png')],
    ['a page without a name', (_req, res) => void res.setHeader('Content-Type', 'text/html').end('<p>hello')],
    ['100 MB', endless],
    ['a redirect to another host', (_req, res) => res.writeHead(302, { Location: 'http://127.0.0.2:1/bot/x' }).end()],
    ['a redirect without an end', (req, res) => res.writeHead(302, { Location: req.url }).end()],
    ['a reset connection', (req) => req.socket.destroy()],
  ])('answers template_provider_unavailable to %s, and publishes nothing', async (_what, handler) => {
    const answer = await service.post<Problem>('/api/bots/submit', {
      link: service.link(service.provider.template(handler)),
    });
    expect([answer.status, answer.body.code]).toEqual([503, 'template_provider_unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await service.get('/api/bots')).body).toEqual([]);
  });

  it.concurrent.each<[string, TemplateHandler]>([
    ['nothing', () => undefined],
    [
      'headers and then nothing',
      (_req, res) => {
        res.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
      },
    ],
  ])('gives up on a provider that answers %s, within its 5 seconds', async (_what, handler) => {
    const link = service.link(service.provider.template(handler));
    // The documented limit is 5 s; the rest of the request takes some time too.
    const answer = await within(6_000, () => service.post<Problem>('/api/bots/submit', { link }));
    expect([answer.status, answer.body.code]).toEqual([503, 'template_provider_unavailable']);
  });

  it('follows at most 5 redirects', async () => {
    const id = service.provider.template((req, res) => res.writeHead(302, { Location: req.url }).end());
    await service.post('/api/bots/submit', { link: service.link(id) });
    expect(service.provider.requests.filter((asked) => asked === id)).toHaveLength(6);
  });

  it('follows a redirect on the same host', async () => {
    const target = service.provider.template({ name: 'Moved' });
    const from = service.provider.template((_req, res) => res.writeHead(301, { Location: `/bot/${target}` }).end());
    expect((await service.post('/api/bots/submit', { link: service.link(from) })).status).toBe(200);
  });

  it('follows no redirect to another port, which would be another host', async () => {
    const other = createServer((_req, res) => res.end('{"name":"Other"}')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    let asked = 0;
    other.on('request', () => (asked += 1));
    const id = service.provider.template((_req, res) =>
      res.writeHead(302, { Location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/bot/x` }).end(),
    );
    expect((await service.post('/api/bots/submit', { link: service.link(id) })).status).toBe(503);
    expect(asked).toBe(0);
    other.close();
  });
});
