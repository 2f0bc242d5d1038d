/** The event log, for readers who want only some events: as pages, and as a stream. */
import { beforeAll, expect, it } from 'vitest';
import { limits, type DirectoryEvent, type Problem } from '@bot-directory/contract';
import { listen } from '@bot-directory/testing/event-stream';
import { publishMany } from '@bot-directory/testing/many-events';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

let slugs: string[];
let first: string;
const service = useStarted(startService);
beforeAll(async () => {
  const publish = (name: string, more: object): Promise<string> => service.publish(name, more);
  slugs = [
    await publish('Weekly report', { author: 'ada', categories: ['SEO'], integrations: ['slack', 'gmail'] }),
    await publish('Chat', { author: 'bob', categories: ['Sales'], integrations: ['slack'] }),
  ];
  first = (await read('limit=1')).events[0]?.id ?? '';
  await publishMany(service.redis?.url ?? '', {
    count: limits.eventsExamined,
    descriptionBytes: 1,
    own: () => ({ categories: [] }),
  });
  slugs.push(await publish('Reports, daily', { author: 'Ada', categories: ['Marketing'] }));
  const operator = operatorOf(service.redis?.url ?? '');
  await operator.run('hide', slugs[1] ?? '');
  await operator.run('remove', (slugs[3] = await publish('Gone', { author: 'eve' })), '--reason', 'Spam.');
});

const read = async (query: string) => {
  const { status, body, headers } = await service.get<DirectoryEvent[]>(`/api/events?${query}`);
  expect(status).toBe(200);
  const next = /<[^>]+\?([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return { events: body, next, tag: headers.get('etag') ?? '' };
};
/** Reads all pages of a query. */
const readAll = async (query: string): Promise<string[]> => {
  const found: string[] = [];
  let next: string | undefined = query;
  while (next !== undefined) {
    const page = await read(next);
    found.push(...page.events.map(({ type, data }) => `${type} ${'slug' in data ? data.slug : ''}`));
    next = page.next;
  }
  return found;
};

it.each<[string, () => string[]]>([
  // Nothing is left of a removed bot to compare, so every filter has its removal.
  ['author=@ADA', () => [`bot.created ${slugs[0]}`, `bot.created ${slugs[2]}`, `bot.removed ${slugs[3]}`]],
  ['author=ada&limit=1', () => [`bot.created ${slugs[0]}`, `bot.created ${slugs[2]}`, `bot.removed ${slugs[3]}`]],
  ['author=ada&type=bot.created', () => [`bot.created ${slugs[0]}`, `bot.created ${slugs[2]}`]],
  ['q=report+week&type=bot.created', () => [`bot.created ${slugs[0]}`]],
  ['category=seo&category=Marketing&type=bot.created', () => [`bot.created ${slugs[0]}`, `bot.created ${slugs[2]}`]],
  ['integration=Slack&integration=gmail&type=bot.created', () => [`bot.created ${slugs[0]}`]],
  // A hidden bot is compared as it is; its announcement is not true.
  ['integration=slack', () => [`bot.created ${slugs[0]}`, `bot.removed ${slugs[1]}`, `bot.removed ${slugs[3]}`]],
  ['q=chat', () => [`bot.removed ${slugs[1]}`, `bot.removed ${slugs[3]}`]],
  ['type=bot.removed&author=bob', () => [`bot.removed ${slugs[1]}`, `bot.removed ${slugs[3]}`]],
  ['type=bot.restored', () => []],
])('has the events that «%s» selects, page by page', async (query, expected) => {
  expect(await readAll(query)).toEqual(expected());
});

it('ends a page after a number of events, and continues with the same filter', async () => {
  const page = await read('author=ada&type=bot.created');
  expect(page.events).toHaveLength(1);
  expect(page.next).toMatch(/^author=%40ada&type=bot.created&limit=200&after=evt_\w{26}$/);
  expect(
    (await service.api('GET', '/api/events?author=ada&type=bot.created', { headers: { 'If-None-Match': page.tag } }))
      .status,
  ).toBe(304);
});

it.each([
  'authors=ada',
  'categories=SEO',
  'events=bot.created',
  'Type=bot.created',
  'category=Cooking',
  'type=ping',
  'q=***',
])('refuses «%s»', async (query) => {
  for (const path of ['/api/events', '/api/events/stream']) {
    const { status, body } = await service.get<Problem>(`${path}?${query}`);
    expect([status, body.errors?.map(({ pointer }) => pointer)]).toEqual([400, [`?${query.split('=')[0]}`]]);
  }
});

const positionAt = (id: string): string => `\n\nid: ${id}\nevent: position\ndata: {"after":"${id}"}\n\n`;

it('streams what is wanted, and only the position of the rest', async () => {
  const reader = await listen(`${service.url}/api/events/stream?type=bot.created&author=ada&after=${first}`);
  const { next = '' } = await read('type=bot.removed');
  const last = (await read(next)).events.at(-1)?.id ?? '';
  await until('the position is the last event', () => reader.text().endsWith(positionAt(last)));
  expect(reader.messages().map(({ event, data }) => [event, data.includes(slugs[2] ?? '')])).toEqual([
    ['bot.created', true],
  ]);
  await reader.stop();
});
