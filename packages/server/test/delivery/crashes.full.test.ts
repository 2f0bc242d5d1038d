/** Worker processes that stop, and that are killed: nothing is lost, and all comes in order. */
import type { ServerResponse } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { looksOfEngines } from '@bot-directory/testing/engine';
import { operatorOf } from '@bot-directory/testing/operator';
import type { ServerProcess } from '@bot-directory/testing/process';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startWithoutWorkers } from '@bot-directory/testing/workers';

const timeoutMs = 4_000;
/** More endpoints of one origin than one worker may call at a time. */
const paths = Array.from({ length: 150 }, (_, i) => `/hook/${i}`);
/** All want every bot that is published here, but only a third of them wants what every webhook gets. */
const wishes = [{}, { events: ['bot.created', 'bot.removed'] }, { filter: { author: '@ada' } }];
const web = useStarted(() =>
  startWithoutWorkers({
    WEBHOOK_TIMEOUT: `${timeoutMs}ms`,
    WEBHOOK_LEASE: `${2 * timeoutMs}ms`,
    // One client registers all of them, and may have a tenth.
    WEBHOOKS_PER_HOST: String(10 * paths.length),
  }),
);
beforeAll(async () => {
  for (const [i, path] of paths.entries()) await web.register(path, wishes[i % wishes.length]);
});

const publish = (name: string): Promise<string> => web.publish(name, { author: 'Ada' });
/** Returns which of these each webhook got. */
const sequences = (published: string[]): string[][] =>
  paths.map((path) => web.slugs(path).filter((slug) => published.includes(slug)));
const withoutRepeats = (slugs: string[]): string[] => slugs.filter((slug, i) => slugs.indexOf(slug) === i);

it('a web process delivers nothing', async () => {
  const slug = await publish('Nobody works');
  expect(await looksOfEngines(web.redis?.url ?? ''), 'it has no engine').toBe(0);
  expect(web.receiver.events('/hook/0')).toEqual([]);
  const worker = await web.startWorker();
  await until('a worker has delivered it', () => sequences([slug]).every((slugs) => slugs.length > 0));
  expect((await fetch(`${worker.url}/api/bots`)).status).toBe(404);
  expect([(await worker.get('/healthz')).status, (await worker.get('/readyz')).status]).toEqual([200, 200]);
  expect((await worker.get<string>('/metrics')).body).toContain('webhooks_registered 150');
  expect(await worker.stop()).toBe(0);
});

it('returns its leases on SIGTERM, so that another worker continues at once', async () => {
  web.receiver.respond((_received, res) => void setTimeout(() => res.writeHead(204).end(), 200));
  const patient = { WEBHOOK_LEASE: '10m', WEBHOOK_TIMEOUT: '30s' };
  const leaving = await web.startWorker(patient);
  const slugs = [await publish('Handed 1'), await publish('Handed 2')];
  await until('it delivers', () => sequences(slugs).some((seen) => seen.length > 0));
  const [code, staying] = await Promise.all([leaving.stop(), web.startWorker(patient)]);
  expect(code).toBe(0);
  // Leases last ten minutes, so only webhooks whose leases were returned can get the rest now.
  await until('every webhook has both', () =>
    sequences(slugs).every((seen) => withoutRepeats(seen).length === slugs.length),
  );
  for (const seen of sequences(slugs)) expect(seen).toEqual(slugs);
  await staying.stop();
});

const deliveries = (): number => paths.reduce((sum, path) => sum + web.slugs(path).length, 0);
/** Counts the deliveries that a worker has under way. */
const underWay = async (worker: ServerProcess): Promise<number> => {
  const { body } = await worker.get<string>('/metrics');
  return Number(/^webhook_deliveries_in_flight (\d+)$/m.exec(body)?.[1]);
};

/** Counts a worker's failed attempts: on a slow machine a response may come after its client has given up. */
const failed = async (worker: ServerProcess): Promise<number> => {
  const { body } = await worker.get<string>('/metrics');
  const counts = body.matchAll(/^webhook_attempts_total\{outcome="(?!delivered)\w+"\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};

it('another takes over what a killed worker had leased, in order, and repeats no more than was in flight', async () => {
  web.receiver.received.length = 0;
  const [doomed, other] = await Promise.all([web.startWorker(), web.startWorker()]);
  const published: string[] = [];
  const held: ServerResponse[] = [];
  let isHolding = false;
  /** Deliveries whose response was sent completely. */
  const answered = new Set<string>();
  /** Requests whose response was not sent completely: the sender can't know that they were accepted. */
  let unanswered = 0;
  /** Requests that were sent again: the sender had given up before the response came. */
  let late = 0;
  web.receiver.respond(({ path, body }, res) => {
    const delivery = `${path} ${body.toString()}`;
    if (answered.delete(delivery)) late += 1;
    res.once('close', () => {
      if (res.writableFinished) answered.add(delivery);
      else unanswered += 1;
    });
    if (isHolding) held.push(res);
    else setTimeout(() => res.writeHead(204).end(), 15);
  });
  const answerAll = (): void => {
    for (const res of held.splice(0)) if (!res.destroyed) res.writeHead(204).end();
  };
  const waiting = (): number => held.filter((res) => !res.destroyed).length;
  await until('both are in the middle of a fan-out', async () => {
    for (let i = 0; i < 10; i += 1) published.push(await publish(`Event ${published.length}`));
    isHolding = true;
    let ofDoomed = 0;
    let ofOther = 0;
    await until('all that is under way is held', async () => {
      [ofDoomed, ofOther] = [await underWay(doomed), await underWay(other)];
      return ofDoomed + ofOther === waiting();
    });
    if (ofDoomed > 0 && ofOther > 0) return true;
    isHolding = false;
    answerAll();
    return false;
  });
  const { run } = operatorOf(web.redis?.url ?? '');
  await until('every response that was sent is saved', async () => {
    const webhooks = await run<{ pending: number }[]>('webhooks', '--limit', String(paths.length));
    const pending = webhooks.reduce((sum, one) => sum + one.pending, 0);
    return pending === published.length * paths.length - answered.size;
  });
  const repeated = late;
  const gaveUp = (await failed(doomed)) + (await failed(other));
  expect(repeated).toBeLessThanOrEqual(gaveUp);
  await doomed.kill();
  await until('its connections are closed', async () => waiting() === (await underWay(other)));
  const cut = unanswered;
  isHolding = false;
  answerAll();

  await until('every webhook has every event', () =>
    paths.every((path) => new Set(web.slugs(path)).size === published.length),
  );
  for (const path of paths) expect(withoutRepeats(web.slugs(path))).toEqual(published);
  expect(deliveries() - published.length * paths.length).toBeLessThanOrEqual(cut + repeated + (await failed(other)));
  expect(await other.stop()).toBe(0);
});
