import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { get as httpGet, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

/** Sends a request without the headers that `fetch` adds, and leaves the response encoded. */
const raw = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> =>
  new Promise((resolve, reject) => {
    httpGet(`${service.url}${path}`, { headers, method }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks) }));
    }).on('error', reject);
  });

describe('the list of bots', () => {
  it('is an empty array at first', async () => {
    const answer = await service.get('/api/bots');
    expect([answer.status, answer.body]).toEqual([200, []]);
    expect(answer.headers.get('x-total-count')).toBe('0');
  });

  it('is every published bot, newest first, without a limit', async () => {
    for (let i = 0; i < 230; i += 1) await service.publish(`Bot number ${i}`);
    const answer = await service.get<Bot[]>('/api/bots');
    expect(answer.body.map(({ name }) => name)).toEqual(Array.from({ length: 230 }, (_, i) => `Bot number ${229 - i}`));
    expect(answer.headers.get('x-total-count')).toBe('230');
    expect(answer.headers.get('link')).toBeNull();
  });

  it('ignores unknown parameters', async () => {
    const asIs = { 'Accept-Encoding': 'identity' };
    const plain = await service.get('/api/bots', asIs);
    const odd = await service.get('/api/bots?colour=red&_=123', asIs);
    expect(odd.headers.get('etag')).toBe(plain.headers.get('etag'));
    expect(odd.body).toEqual(plain.body);
  });

  it.each(['limit%5B%5D=2', 'limit[0]=2'])('takes an array as axios and PHP write it: ?%s', async (query) => {
    expect((await service.get<Bot[]>(`/api/bots?${query}`)).body).toHaveLength(2);
  });

  it('exposes its headers to browsers', async () => {
    const { headers } = await service.get('/api/bots');
    const exposed = headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining([
        'Date',
        'Link',
        'ETag',
        'Last-Modified',
        'X-Total-Count',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'X-Request-Id',
      ]),
    );
  });

  it('is gzip or brotli for clients that accept it, with an ETag for each', async () => {
    const identity = await raw('/api/bots');
    expect(identity.headers['content-encoding']).toBeUndefined();
    expect(identity.headers.vary).toBe('Accept, Accept-Encoding');
    const tags = new Set([identity.headers.etag]);
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      await until(
        `${encoding} is made`,
        async () => (await raw('/api/bots', { 'Accept-Encoding': encoding })).headers['content-encoding'] === encoding,
      );
      const answer = await raw('/api/bots', { 'Accept-Encoding': `${encoding}, *;q=0` });
      expect(decode(answer.body).equals(identity.body)).toBe(true);
      expect(Number(answer.headers['content-length'])).toBe(answer.body.length);
      tags.add(answer.headers.etag);
      expect(
        (await raw('/api/bots', { 'Accept-Encoding': encoding, 'If-None-Match': String(answer.headers.etag) })).status,
      ).toBe(304);
    }
    expect(tags.size).toBe(3);
    expect(
      (await raw('/api/bots', { 'Accept-Encoding': 'gzip;q=0, br;q=0' })).headers['content-encoding'],
    ).toBeUndefined();
    expect((await raw('/api/bots', { 'Accept-Encoding': 'gzip, deflate, br, zstd' })).headers['content-encoding']).toBe(
      'br',
    );
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const get = await raw('/api/bots?limit=5');
    const head = await raw('/api/bots?limit=5', {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    const { date: _a, 'x-request-id': _b, ...expected } = get.headers;
    expect(head.headers).toMatchObject(expected);
  });

  it('has a strong ETag that changes with the list, and not otherwise', async () => {
    const tag = async (): Promise<string | null> =>
      (await service.get('/api/bots', { 'Accept-Encoding': 'identity' })).headers.get('etag');
    const first = await tag();
    expect(first).toMatch(/^"[^"]+"$/);
    expect(await tag()).toBe(first);
    await service.post('/api/feed', { url: 'https://x.com/jo/status/9' });
    expect(await tag()).toBe(first);
    await service.publish('Changes the list');
    expect(await tag()).not.toBe(first);
  });

  it('says when it last changed, from the next second on', async () => {
    await service.publish('Dated');
    await until('a second has passed', async () => (await service.get('/api/bots')).headers.has('last-modified'));
    const { headers, body } = await service.get<Bot[]>('/api/bots');
    expect(Date.parse(headers.get('last-modified') ?? '')).toBe(
      Math.floor(Date.parse(body[0]?.created_at ?? '') / 1_000) * 1_000,
    );
  });

  it('shows an install within a second or so', async () => {
    const slug = await service.publish('Installed');
    await service.install(slug);
    await until(
      'the install is in the list',
      async () => (await service.get<Bot[]>('/api/bots')).body[0]?.install_count === 1,
    );
  });
});
