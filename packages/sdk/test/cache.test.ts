/** The caching fetch: what has not changed is not sent again, and nothing else is different. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CachedResponse, cachingFetch } from '../src/cache.ts';
import { createClient } from '../src/index.ts';
import { json, problem, startMisbehavingServer, text } from './support/misbehaving-server.ts';

let server: Awaited<ReturnType<typeof startMisbehavingServer>>;
beforeAll(async () => void (server = await startMisbehavingServer()));
afterAll(() => server.close());

describe('the caching fetch', () => {
  it('answers a 304 from the cache, with the headers of the 304', async () => {
    const baseUrl = server.play(
      json(200, [1], { etag: '"1"', 'x-total-count': '1' }),
      text(304, '', { etag: '"1"', 'x-request-id': 'second' }),
      json(200, [2], { etag: '"2"' }),
      text(304, '', { etag: '"2"' }),
    );
    const api = createClient({ baseUrl, fetch: cachingFetch() });
    expect(await api.bots.list()).toEqual([1]);
    const { data, response } = await api.bots.list().withResponse();
    expect([data, response.status]).toEqual([[1], 200]);
    expect([response.headers.get('x-total-count'), response.headers.get('x-request-id')]).toEqual(['1', 'second']);
    expect([await api.bots.list(), await api.bots.list()]).toEqual([[2], [2]]);
    expect(server.received(baseUrl).map(({ headers }) => headers['if-none-match'])).toEqual([
      undefined,
      '"1"',
      '"1"',
      '"2"',
    ]);
  });

  it('caches by URL, and never writes, failures or responses without an ETag', async () => {
    const kept = new Map<string, CachedResponse>();
    const options = (baseUrl: string) => ({ baseUrl, fetch: cachingFetch({ store: kept }), retries: 0 });
    await createClient(options(server.play(json(200, {}, { etag: '"1"' })))).feed.add({ url: 'u' });
    await createClient(options(server.play(json(200, [])))).bots.list();
    await createClient(options(server.play(problem(500, 'internal_error', { headers: { etag: '"1"' } }))))
      .bots.list()
      .safe();
    expect(kept.size).toBe(0);
    const api = createClient(options(server.play(json(200, [], { etag: '"1"' }))));
    await api.bots.list({ q: 'a' });
    await api.bots.list({ q: 'b' });
    expect(kept.size).toBe(2);
  });

  it('leaves an event stream to its reader, in whatever case its type is written', async () => {
    const kept = new Map<string, CachedResponse>();
    const headers = { etag: '"1"', 'content-type': 'Text/Event-Stream' };
    const cached = cachingFetch({ store: kept, fetch: () => Promise.resolve(new Response('data', { headers })) });
    const { signal } = new AbortController();
    const response = await cached('http://h/', { method: 'GET', headers: {}, redirect: 'follow', signal });
    expect([await response.text(), kept.size]).toEqual(['data', 0]);
  });

  it('does not touch a call with its own If-None-Match', async () => {
    const baseUrl = server.play(json(200, [], { etag: '"1"' }), text(304, ''));
    const api = createClient({ baseUrl, fetch: cachingFetch() });
    await api.bots.list();
    const outcome = await api.bots.list({}, { headers: { 'If-None-Match': '"1"' } }).safe();
    expect(outcome).toMatchObject({ ok: false, status: 304 });
  });

  it('keeps the last hundred', async () => {
    const conditional: string[] = [];
    const cached = cachingFetch({
      fetch: (url, { headers }) => {
        if ('if-none-match' in headers) conditional.push(url);
        return Promise.resolve(Response.json([], { headers: { etag: '"1"' } }));
      },
    });
    const { signal } = new AbortController();
    const ask = (number: number) =>
      cached(`http://h/${number}`, { method: 'GET', headers: {}, redirect: 'follow', signal });
    for (let number = 0; number <= 100; number++) await ask(number);
    await ask(1);
    await ask(0);
    expect(conditional).toEqual(['http://h/1']);
  });

  it('keeps what is requested again and again, however rarely it changes', async () => {
    const conditional: string[] = [];
    const cached = cachingFetch({
      fetch: (url, { headers }) => {
        if (!('if-none-match' in headers)) return Promise.resolve(Response.json([], { headers: { etag: '"1"' } }));
        conditional.push(url);
        return Promise.resolve(new Response(null, { status: 304 }));
      },
    });
    const { signal } = new AbortController();
    const ask = (path: string) =>
      cached(`http://h/${path}`, { method: 'GET', headers: {}, redirect: 'follow', signal });
    await ask('polled');
    for (let number = 0; number < 150; number++) {
      await ask(String(number));
      await ask('polled');
    }
    expect(conditional).toEqual(Array.from({ length: 150 }, () => 'http://h/polled'));
  });
});
