import { beforeAll, expect, it } from 'vitest';
import type { EventMap, Problem } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { listen } from '@bot-directory/testing/event-stream';
import { startProcess } from '@bot-directory/testing/process';
import { templateHost } from '@bot-directory/testing/provider';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const slugs: string[] = [];
const test = useStarted(startDelivery);
beforeAll(async () => {
  await test.register();
  for (let i = 0; i < 7; i += 1) slugs.push(await test.publish(`Event ${i}`));
});

const events = async (query = ''): Promise<EventMap['bot.created'][]> =>
  (await test.get<EventMap['bot.created'][]>(`/api/events${query}`)).body;

it('gives the envelopes that webhooks got, byte for byte, oldest first', async () => {
  await until('all are delivered', () => test.receiver.events().length === slugs.length);
  expect((await events()).map(({ data }) => data.slug)).toEqual(slugs);
  const text = await fetch(`${test.url}/api/events`).then((response) => response.text());
  expect(text).toBe(
    `[${test.receiver.received
      .slice(1)
      .map(({ body }) => body.toString())
      .join(',')}]`,
  );
});

it('goes on after an event, by Link', async () => {
  const all = await events();
  expect(await events(`?after=${all[2]?.id ?? ''}`)).toEqual(all.slice(3));
  expect(await events(`?after=${all.at(-1)?.id ?? ''}`)).toEqual([]);
  const seen = [];
  let path: string | undefined = '/api/events?limit=3';
  while (path !== undefined) {
    const page: Awaited<ReturnType<typeof test.get<EventMap['bot.created'][]>>> =
      await test.get<EventMap['bot.created'][]>(path);
    seen.push(...page.body);
    path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]?.slice(test.url.length);
  }
  expect(seen).toEqual(all);
});

it.each(['after=nonsense', 'after=', 'limit=0', 'limit=201', 'limit=1&limit=2', 'after=a&after=b'])(
  '400: ?%s',
  async (query) => {
    const answer = await test.get<Problem>(`/api/events?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors?.[0]?.pointer).toBe(`?${query.split('=', 1)[0] ?? ''}`);
  },
);

const unknown = 'evt_00000000000000000000000000';

it('404: a page after an event that is not in the log', async () => {
  const answer = await test.get<Problem>(`/api/events?after=${unknown}`);
  expect([answer.status, answer.body.code]).toEqual([404, 'event_not_found']);
});

it('goes on after a ping, which is not in the log, from a minute before it', async () => {
  const ping = JSON.parse(test.receiver.received[0]?.body.toString() ?? '') as EventMap['ping'];
  expect(ping.type).toBe('ping');
  expect((await events(`?after=${ping.id}`)).map(({ data }) => data.slug)).toEqual(slugs);
  const stream = await listen(`${test.url}/api/events/stream?after=${ping.id}`);
  await until('it has all', () => stream.messages().length === slugs.length);
  expect(stream.messages().map(({ event }) => event)).not.toContain('gap');
  await stream.stop();
});

it.each([
  ['Last-Event-ID', unknown, '', { 'Last-Event-ID': unknown }],
  ['?after=', unknown, `?after=${unknown}`, {}],
  ['an id of another service', '42', '', { 'Last-Event-ID': '42' }],
])(
  'streams a gap and then the oldest events after one that is not in the log: %s',
  async (_name, after, query, headers) => {
    const stream = await listen(`${test.url}/api/events/stream${query}`, headers);
    expect(stream.response.status).toBe(200);
    await until('it has all', () => stream.messages().length === slugs.length + 1);
    const [gap, ...others] = stream.messages();
    // Without an id: a reader that is cut off here resumes from the same position.
    expect(gap).toEqual({
      id: undefined,
      event: 'gap',
      data: JSON.stringify({ after }),
    });
    expect(others.map(({ id }) => id)).toEqual((await events()).map(({ id }) => id));
    await stream.stop();
  },
);

it('streams events as they are published, from the present on', async () => {
  const stream = await listen(`${test.url}/api/events/stream`);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.response.headers.get('access-control-allow-origin')).toBe('*');
  expect(stream.response.headers.get('cache-control')).toBe('no-store, no-transform');
  await until('it is open', () => stream.text().startsWith('retry: '));
  const present = (await events()).at(-1)?.id ?? '';
  expect(stream.text()).toContain(`\n\nid: ${present}\nevent: position\ndata: {"after":"${present}"}\n\n`);
  slugs.push(await test.publish('Live 1'), await test.publish('Live 2'));
  await until('both have come', () => stream.messages().length === 2);
  const [last] = (await events()).slice(-1);
  expect(stream.messages()[1]).toEqual({ id: last?.id, event: 'bot.created', data: JSON.stringify(last) });
  await stream.stop();
});

it('resumes after Last-Event-ID, and after ?after=', async () => {
  const all = await events();
  const id = all[3]?.id ?? '';
  for (const [query, headers] of [
    ['', { 'Last-Event-ID': id }],
    [`?after=${id}`, {}],
    [`?after=${all[0]?.id ?? ''}`, { 'Last-Event-ID': id }],
    [`?lastEventId=${id}`, {}],
    [`?after=${all[0]?.id ?? ''}&lastEventId=${id}`, {}],
    [`?after=${id}`, { 'Last-Event-ID': '' }],
    [`?after=${id}&lastEventId=`, {}],
  ] as const) {
    const stream = await listen(`${test.url}/api/events/stream${query}`, headers);
    await until('it has caught up', () => stream.messages().length === all.length - 4);
    expect(stream.messages().map((message) => message.id)).toEqual(all.slice(4).map((event) => event.id));
    await stream.stop();
  }
});

it('serves many readers, and misses and repeats nothing while events come', async () => {
  const streams = await Promise.all(Array.from({ length: 20 }, () => listen(`${test.url}/api/events/stream`)));
  await until('all are open', () => streams.every((stream) => stream.text() !== ''));
  const more = await Promise.all(Array.from({ length: 15 }, (_, i) => test.publish(`Crowd ${i}`)));
  await until('all have all', () => streams.every((stream) => stream.messages().length === more.length));
  const order = (await events()).slice(-more.length).map(({ id }) => id);
  for (const stream of streams) expect(stream.messages().map(({ id }) => id)).toEqual(order);
  await Promise.all(streams.map((stream) => stream.stop()));
});

it('ends its streams when the process stops', async () => {
  const server = await startProcess({ REDIS_URL: test.redis?.url ?? '', TEMPLATE_HOST: templateHost, ROLE: 'web' });
  const stream = await listen(`${server.url}/api/events/stream`);
  await until('it is open', () => stream.text() !== '');
  expect(await server.stop()).toBe(0);
  await until('it has ended', () => stream.ended());
});
