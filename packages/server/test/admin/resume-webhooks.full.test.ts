/** The operator undoes a mass stop: webhooks resume where they stopped, and get what they missed, in order. */
import { beforeAll, expect, it } from 'vitest';
import { startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { openTestStore } from '@bot-directory/testing/store';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { partition } from '../../src/store/keys.ts';
import { resumeStopped } from '../../src/store/webhooks/webhook-store.ts';

type Row = { readonly id: string; readonly state: string; readonly stopped_at: string | null };

let operator: ReturnType<typeof operatorOf>;

const test = useStarted(startDelivery);
beforeAll(() => {
  operator = operatorOf(test.redis?.url ?? '', test.url);
});

const stateOf = async (path: string): Promise<string> => (await test.status(path)).state;
const areStopped = (paths: readonly string[]) =>
  until('they are stopped', async () => (await Promise.all(paths.map(stateOf))).every((state) => state === 'stopped'));

it('resumes those that stopped since then, with that failure, each with exactly what it missed', async () => {
  const early = '/early';
  const cut = Array.from({ length: 30 }, (_, i) => `/cut/${i}`);
  const refusing = '/refusing';
  const earlyId = (await test.register(early)).id;
  test.receiver.respond((_received, res) => res.socket?.destroy());
  await test.publish('Before all');
  await areStopped([early]);
  for (const path of [...cut, refusing]) {
    test.receiver.respond(204);
    await test.register(path);
  }
  test.receiver.respond(({ path }, res) => (path === refusing ? res.writeHead(500).end() : res.socket?.destroy()));
  const missed = [await test.publish('Missed 1'), await test.publish('Missed 2')];
  await areStopped([...cut, refusing]);
  missed.push(await test.publish('Missed 3'));

  const rows = await operator.run<Row[]>('webhooks', '--state', 'stopped');
  expect(rows).toHaveLength(cut.length + 2);
  const earlyStop = rows.find(({ id }) => id === earlyId)?.stopped_at ?? '';
  const since = new Date(Date.parse(earlyStop) + 1).toISOString();
  const command = ['webhooks', 'resume', '--stopped-since', since, '--failure', 'connect'];
  expect(await operator.attempt(...command)).toEqual({
    code: 1,
    output: `resume ${cut.length} webhooks? Confirm with --yes.`,
  });
  expect((await operator.attempt('webhooks', 'resume')).code).not.toBe(0);
  expect(await Promise.all(cut.map(stateOf))).toEqual(cut.map(() => 'stopped'));

  test.receiver.received.length = 0;
  test.receiver.respond(204);
  expect(await operator.run(...command)).toEqual({ resumed: cut.length });
  expect(await operator.run(...command)).toEqual({ resumed: 0 });
  for (const path of cut) {
    await until(`${path} has all`, async () => (await test.status(path)).pending_events === 0);
    expect(test.slugs(path)).toEqual(missed);
    expect(await test.status(path)).toMatchObject({ state: 'active', failures_in_a_row: 0, last_failure: null });
  }
  for (const path of [early, refusing]) expect([await stateOf(path), test.slugs(path)]).toEqual(['stopped', []]);
  expect(await operator.run('audit')).toMatchObject([
    { action: 'resume-webhooks', count: cut.length, command: expect.stringContaining(since) as string },
  ]);
  expect(await operator.run('check')).toEqual([]);

  // Without --failure, it resumes all that have stopped since then.
  expect(await operator.run('webhooks', 'resume', '--stopped-since', since)).toEqual({ resumed: 1 });
  await until('it has all', async () => (await test.status(refusing)).pending_events === 0);
  expect([test.slugs(refusing), await stateOf(early)]).toEqual([missed, 'stopped']);
});

it('resumes thousands in batches', async () => {
  const store = await openTestStore(test.redis?.url ?? '');
  try {
    const { stopped, taken, failures, cursor } = partition(0);
    const ids = Array.from({ length: 3_000 }, (_, i) => `wh_${i}`);
    await store.call(async (redis) => {
      await redis.sadd(stopped, ...ids);
      await redis.hset(taken, ...ids.flatMap((id, i) => [id, i]));
      await redis.hset(failures, ...ids.flatMap((id, i) => [id, `10:dns:0:stopped ${i}`]));
    });
    const selection = { sinceMs: 1_000, failure: 'dns' } as const;
    expect(await resumeStopped(store, selection, 'count')).toBe(2_000);
    expect(await resumeStopped(store, selection, 'resume')).toBe(2_000);
    expect(await resumeStopped(store, selection, 'resume')).toBe(0);
    const resumed = await store.call((redis) =>
      Promise.all(['999', '1000'].map((i) => redis.zscore(cursor, `wh_${i}`))),
    );
    expect(resumed).toEqual([null, '1000']);
  } finally {
    await store.close();
  }
});
