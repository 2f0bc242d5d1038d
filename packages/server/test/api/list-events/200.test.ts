import { beforeAll, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { publishMany } from '@bot-directory/testing/many-events';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

let ids: string[];
const service = useStarted(startService);
beforeAll(async () => {
  ids = await publishMany(service.redis?.url ?? '', { count: 30, descriptionBytes: 400 });
});

const read = async (query: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${service.url}/api/events${query}`, { headers });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, tag: answer.headers.get('etag') ?? '' };
};
const idsOf = (text: string): string[] => (JSON.parse(text) as { id: string }[]).map(({ id }) => id);

it('is a 304 until the directory changes, and has its bots as they are', async () => {
  const full = `?after=${ids[4] ?? ''}&limit=10`;
  const last = `?after=${ids[24] ?? ''}`;
  const fullBefore = await read(full);
  const lastBefore = await read(last);
  expect(idsOf(fullBefore.text)).toEqual(ids.slice(5, 15));
  expect(idsOf(lastBefore.text)).toEqual(ids.slice(25));
  for (const [query, { tag }] of [
    [full, fullBefore],
    [last, lastBefore],
  ] as const)
    expect(await read(query, { 'If-None-Match': tag })).toMatchObject({ status: 304, text: '' });

  const slug = await service.publish('Later');
  const fullAfter = await read(full, { 'If-None-Match': fullBefore.tag });
  expect([fullAfter.status, fullAfter.text]).toEqual([200, fullBefore.text]);
  const grown = await read(last, { 'If-None-Match': lastBefore.tag });
  expect([grown.status, idsOf(grown.text).slice(0, -1)]).toEqual([200, ids.slice(25)]);
  expect(grown.text).toContain(`"slug":"${slug}"`);

  const { data } = (JSON.parse(fullBefore.text) as { data: { slug: string } }[])[0] ?? { data: { slug: '' } };
  const operator = operatorOf(service.redis?.url ?? '');
  await operator.run('hide', data.slug);
  const rest = await read(full, { 'If-None-Match': fullAfter.tag });
  expect([rest.status, idsOf(rest.text)]).toEqual([200, ids.slice(6, 16)]);
  await operator.run('restore', data.slug);
  await operator.run('edit', data.slug, '--author', '@eve');
  const edited = await read(full, { 'If-None-Match': rest.tag });
  expect([edited.status, idsOf(edited.text)]).toEqual([200, ids.slice(5, 15)]);
  expect((JSON.parse(edited.text) as { data: { author: string } }[])[0]?.data.author).toBe('@eve');
});

it('has no date, says how it may be cached, and is compressed', async () => {
  const { headers } = await read('?limit=20');
  expect([headers.get('last-modified'), headers.get('cache-control')]).toEqual([null, 'public, no-cache']);
  await until('it is compressed', async () => {
    const { headers } = await read('?limit=20', { 'Accept-Encoding': 'gzip' });
    return headers.get('content-encoding') === 'gzip';
  });
  expect((await read('?limit=20', { 'Accept-Encoding': 'gzip' })).text).toBe((await read('?limit=20')).text);
});

it('is a page of at most 200 events, and refuses other parameters for pages or dates', async () => {
  expect((await read('?limit=200')).headers.get('link')).toBeNull();
  for (const path of ['/api/events', '/api/events/stream'])
    for (const name of ['cursor', 'page', 'offset', 'Limit', 'since', 'updated_after', 'lasteventid']) {
      const { status, body } = await service.get<Problem>(`${path}?${name}=1`);
      expect([name, status, body.errors?.map(({ pointer }) => pointer)]).toEqual([name, 400, [`?${name}`]]);
    }
  // The stream takes it from polyfills.
  expect((await read('?lastEventId=1')).status).toBe(400);
  expect((await read('?other=1&limit=1')).status).toBe(200);
});
