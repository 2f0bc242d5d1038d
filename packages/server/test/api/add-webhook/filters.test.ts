import { beforeEach, describe, expect, it } from 'vitest';
import type { Problem, Webhook } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

const test = useStarted(() => startDelivery({ world: { pollMs: 50 } }));
beforeEach(() => {
  test.receiver.received.length = 0;
  test.receiver.respond(204);
});

const add = (path: string, body: object) =>
  test.post<Problem & Webhook>('/api/webhooks/bots', { url: test.receiver.url(path), ...body });
const pings = (path: string): number => test.receiver.events(path, 'ping').length;

describe('a webhook’s own filter and events', () => {
  it.each<[string, object, string]>([
    ['no category of ours', { filter: { category: ['Cooking'] } }, '/filter/category/0'],
    ['no list', { filter: { category: 'SEO' } }, '/filter/category'],
    ['no integration', { filter: { integration: ['***'] } }, '/filter/integration/0'],
    ['a comma', { filter: { integration: ['notion', 'slack,gmail'] } }, '/filter/integration/1'],
    ['too many', { filter: { integration: Array.from({ length: 25 }, (_, i) => `i${i}`) } }, '/filter/integration'],
    ['no handle', { filter: { author: 'a b' } }, '/filter/author'],
    ['no words', { filter: { q: '***' } }, '/filter/q'],
    ['another name', { filter: { categories: ['SEO'] } }, '/filter/categories'],
    ['a name that objects have', { filter: JSON.parse('{"__proto__":{}}') as object }, '/filter/__proto__'],
    ['no object', { filter: 'SEO' }, '/filter'],
    ['a ping', { events: ['ping'] }, '/events/0'],
    ['no events', { events: [] }, '/events'],
    ['no format', { format: 'Slack' }, '/format'],
  ])('are refused: %s', async (_what, body, pointer) => {
    const answer = await add('/refused', body);
    expect([answer.status, answer.body.errors?.map((error) => error.pointer)]).toEqual([400, [pointer]]);
    expect(pings('/refused')).toBe(0);
  });

  it('change one by one, after a ping, are kept if they are left out, and reset by null', async () => {
    const ada = { category: [], integration: [], author: '@ada', q: '' };
    const first = await add('/hook', { filter: { author: 'ada', category: [] }, events: null });
    expect(first.body).toMatchObject({ outcome: 'added', filter: ada, events: ['bot.created'], format: null });
    for (const same of [{}, { filter: { author: '@ada' } }, { events: null, format: null }])
      expect([(await add('/hook', same)).status, pings('/hook')]).toEqual([409, 1]);
    const steps: [object, object][] = [
      [{ events: ['bot.removed', 'bot.removed', 'bot.created'] }, { events: ['bot.created', 'bot.removed'] }],
      [{ format: 'cloudevents' }, { format: 'cloudevents' }],
      [{ filter: { q: 'C++ Report' } }, { filter: { ...ada, author: null, q: 'c++ report' } }],
      [{ events: null }, { events: ['bot.created'] }],
      [{ format: null }, { format: null }],
      [{ filter: null }, { filter: null }],
    ];
    const expected = { ...first.body, outcome: 'replaced' };
    for (const [change, result] of steps) {
      expect((await add('/hook', change)).body).toEqual(Object.assign(expected, result));
      const { id: _, outcome: __, ...registered } = expected;
      expect(await test.status('/hook')).toMatchObject(registered);
    }
    expect((await add('/hook', { filter: {} })).status).toBe(409);
  });

  it('come in another format from the ping on', async () => {
    const types = () => test.receiver.received.map(({ headers }) => headers['content-type']);
    const first = await add('/formatted', { format: 'cloudevents', filter: { author: 'ada' } });
    expect(first.body).toMatchObject({ format: 'cloudevents', has_secret: false });
    const cloudEvents = { format: 'cloudevents', filter: { author: '@ada' } };
    for (const same of [{}, cloudEvents])
      expect([(await add('/formatted', same)).status, types().length]).toEqual([409, 1]);
    expect(await test.status('/formatted')).toMatchObject({ ...cloudEvents, events: ['bot.created'] });
    expect((await add('/formatted', { format: 'slack' })).status).toBe(200);
    expect((await add('/formatted', { format: null })).status).toBe(200);
    expect(types()).toEqual(['application/cloudevents+json', 'application/json', 'application/json']);
    const bodies = test.receiver.received.map(({ body }) => Object.keys(JSON.parse(body.toString()) as object));
    expect([bodies[1]?.includes('blocks'), bodies[2]?.includes('data')]).toEqual([true, true]);
  });

  it('change nothing if the ping fails', async () => {
    await add('/failing', { filter: { author: 'ada' } });
    test.receiver.respond(500);
    expect((await add('/failing', { filter: { author: 'bob' } })).body.code).toBe('webhook_ping_failed');
    expect((await test.status('/failing')).filter?.author).toBe('@ada');
  });

  it('apply to every event that the webhook lacks when they change, and outlive a stop', async () => {
    await add('/later', { filter: { author: 'ada' } });
    test.receiver.respond(({ path, headers }, res) => {
      res.writeHead(path === '/later' && headers['x-service-event'] !== 'ping' ? 500 : 204).end();
    });
    const publish = (author: string): Promise<string> => test.publish(`By ${author}`, { author });
    const slugs = [await publish('ada'), await publish('bob'), await publish('ada')];
    await until('it is stopped', async () => (await test.status('/later')).state === 'stopped');
    expect((await test.status('/later')).pending_events).toBe(2);
    test.receiver.received.length = 0;
    test.receiver.respond(204);
    expect((await add('/later', {})).status).toBe(200);
    await until('it has both', () => test.slugs('/later').length === 2);
    expect(test.slugs('/later')).toEqual([slugs[0], slugs[2]]);
    await until('nothing is pending', async () => (await test.status('/later')).pending_events === 0);
    expect((await add('/later', { filter: { author: 'bob' } })).status).toBe(200);
    slugs.push(await publish('ada'), await publish('bob'));
    await until('it has the next', () => test.slugs('/later').length === 3);
    expect(test.slugs('/later').at(-1)).toBe(slugs.at(-1));
  });
});
