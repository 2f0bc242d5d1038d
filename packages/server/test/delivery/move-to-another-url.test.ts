/** A subscriber moves to another URL as docs/SUBSCRIBING.md says, while bots are published, and misses none. */
import { expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

type Envelope = { readonly id: string; readonly type: string; readonly data: { readonly slug?: string } };

const test = useStarted(startDelivery);

const remove = async (path: string): Promise<void> => {
  const url = encodeURIComponent(test.receiver.url(path));
  const { status } = await fetch(`${test.url}/api/webhooks/bots?url=${url}`, { method: 'DELETE' });
  expect(status).toBe(200);
};
/** Publishes bots one after the other until it is stopped. Returns their slugs. */
const publishing = (name: string) => {
  const state = { isOver: false };
  const slugs: string[] = [];
  const working = (async () => {
    while (!state.isOver || slugs.length < 5) slugs.push(await test.publish(`${name} ${slugs.length}`));
  })();
  const stop = async (): Promise<string[]> => {
    state.isOver = true;
    await working;
    return slugs;
  };
  return { slugs, stop };
};
const once = (slugs: readonly string[]): string[] => [...new Set(slugs)].sort();

it('moves from a URL that works', async () => {
  await test.register('/old');
  const published = publishing('Moving');
  await until('some are delivered', () => test.slugs('/old').length > 1);
  await test.register('/new');
  const first = await test.publish('First of the new');
  await until('both have it', () => ['/old', '/new'].every((path) => test.slugs(path).includes(first)));
  await remove('/old');
  const slugs = [...(await published.stop()), first];
  await until('the new one has all', async () => (await test.status('/new')).pending_events === 0);
  expect(once([...test.slugs('/old'), ...test.slugs('/new')])).toEqual(once(slugs));
  await remove('/new');
});

it('moves from a URL that no longer works, with the events after the last one that it handled', async () => {
  await test.register('/dead');
  const before = await test.publish('Before it died');
  await until('it is delivered', () => test.slugs('/dead').includes(before));
  const handled = test.receiver.events('/dead').at(-1)?.id ?? '';
  test.receiver.respond(({ path }, res) => res.writeHead(path === '/dead' ? 500 : 204).end());
  const published = publishing('Missed');
  await until('some are missed', () => published.slugs.length > 2);
  await test.register('/successor');
  const missed = (await test.get<Envelope[]>(`/api/events?after=${handled}&limit=200`)).body;
  await remove('/dead');
  const slugs = await published.stop();
  await until('it has all', async () => (await test.status('/successor')).pending_events === 0);
  expect(once([...missed.map(({ data }) => data.slug ?? ''), ...test.slugs('/successor')])).toEqual(once(slugs));
});
