/** Events whose readers ask for the fields that bots have in addition: as pages, and as a stream. */
import { expect, it } from 'vitest';
import type { BotDetails, DirectoryEvent, Problem } from '@bot-directory/contract';
import { listen } from '@bot-directory/testing/event-stream';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);
const details = async (slug: string) => (await service.get<BotDetails>(`/api/bots/${slug}`)).body;

it('each event has its bot as it is read alone, but for a removal', async () => {
  const listed = await service.publish('Ünder way');
  const hidden = await service.publish('Hidden');
  await service.post(`/api/bots/${listed}/integrations`, { integrations: ['slack'] });
  const operator = operatorOf(service.redis?.url ?? '');
  await operator.run('hide', hidden);
  await operator.run('edit', listed, '--author', '@ada');

  const bot = await details(listed);
  expect(bot.updated_at > bot.created_at).toBe(true);
  const { body: events } = await service.get<DirectoryEvent[]>('/api/events?include=updated_at,template_url');
  const data = events.map((event) => event.data);
  expect(events.map(({ type }) => type)).toEqual(['bot.created', 'bot.removed', 'bot.updated']);
  expect(data).toEqual([bot, { id: data[1]?.id, slug: hidden, reason: null }, bot]);

  const bare = (await service.get<DirectoryEvent[]>('/api/events')).body;
  const { updated_at: _, template_url: __, ...shown } = bot;
  expect(bare[0]?.data).toEqual(shown);

  const page = await service.get<DirectoryEvent[]>('/api/events?include=template_url&limit=1');
  expect(page.body[0]?.data).toEqual({ ...shown, template_url: bot.template_url });
  const next = /<[^>]*(\/api\/events\?[^>]*)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
  const rest = (await service.get<DirectoryEvent[]>(`${next}&type=bot.updated`)).body;
  expect(rest.map((event) => event.data)).toEqual([{ ...shown, template_url: bot.template_url }]);

  const reader = await listen(
    `${service.url}/api/events/stream?after=${events[0]?.id}&include=updated_at&include=template_url`,
  );
  await until('both events are here', () => reader.messages().length === 2);
  expect(reader.messages().map((message) => JSON.parse(message.data) as unknown)).toEqual(events.slice(1));
  const later = await service.publish('Later');
  await until('the next event is here', () => reader.messages().length === 3);
  expect(JSON.parse(reader.messages()[2]?.data ?? '')).toMatchObject({ data: await details(later) });
  await reader.stop();
});

it('refuses others', async () => {
  for (const path of ['/api/events', '/api/events/stream']) {
    const { status, body } = await service.get<Problem>(`${path}?include=installs`);
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, '?include']);
  }
});
