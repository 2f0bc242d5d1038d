/** The list as lines: the same entries and states, as other representations of the same URL. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const lines = { Accept: 'application/x-ndjson', 'Accept-Encoding': 'identity' };
const json = { Accept: 'application/json', 'Accept-Encoding': 'identity' };

const service = useStarted(startService);
beforeAll(async () => {
  for (let i = 0; i < 30; i += 1) await service.publish(`Bot ${i} of “é”`, { categories: i % 2 === 0 ? ['SEO'] : [] });
  // In the second of a change the list has no date: two responses on either side of its end would differ.
  await until('the list is dated', async () => (await read('/api/bots')).headers.has('last-modified'));
});

const read = (path: string, headers: Record<string, string> = lines) => fetch(`${service.url}${path}`, { headers });
const parsed = (text: string): unknown[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

describe('the list as NDJSON', () => {
  it.each(['', '?category=SEO', '?limit=20&sort=updated', '?q=nothing'])(
    'has the entries of the array: %s',
    async (query) => {
      const asLines = await read(`/api/bots${query}`);
      const asArray = await read(`/api/bots${query}`, json);
      const text = await asLines.text();
      expect(parsed(text)).toEqual(await asArray.json());
      expect([asLines.status, asLines.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
      for (const name of ['x-total-count', 'link', 'last-modified', 'vary'])
        expect(asLines.headers.get(name)).toBe(asArray.headers.get(name));
      expect(asLines.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    },
  );

  it('has tags of its own, which change when those of the array do', async () => {
    const tag = async (headers: Record<string, string>) => (await read('/api/bots', headers)).headers.get('etag') ?? '';
    const ofLines = await tag(lines);
    const ofArray = await tag(json);
    expect(ofLines).not.toBe(ofArray);
    const again = async (headers: Record<string, string>, match: string) =>
      (await read('/api/bots', { ...headers, 'If-None-Match': match })).status;
    expect([await again(lines, ofLines), await again(json, ofArray)]).toEqual([304, 304]);
    expect([await again(lines, ofArray), await again(json, ofLines)]).toEqual([200, 200]);
    await service.publish('Another');
    expect([await again(lines, ofLines), await again(json, ofArray)]).toEqual([200, 200]);
  });

  it('is gzip for a client that accepts it', async () => {
    const headers = { ...lines, 'Accept-Encoding': 'gzip' };
    const answer = await read('/api/bots', headers);
    expect(parsed(await answer.text())).toHaveLength(31);
  });

  it.each([
    ['application/x-ndjson, */*;q=0.1', 'application/x-ndjson'],
    ['Application/X-NDJSON', 'application/x-ndjson'],
    ['application/json, application/x-ndjson;q=0.5', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['application/x-ndjson;q=0, */*', 'application/json; charset=utf-8'],
  ])('is sent for Accept: %s as %s', async (accept, type) => {
    expect((await read('/api/bots?limit=1', { Accept: accept })).headers.get('content-type')).toBe(type);
  });

  it('is of the list of bots alone, and a refusal is a problem', async () => {
    const [bot] = (await service.get<Bot[]>('/api/bots?limit=1')).body;
    for (const path of [`/api/bots/${bot?.slug}`, '/api/feed', '/api/categories'])
      expect((await read(path)).headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await read('/api/bots?limit=0')).headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });
});
