import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { startWithoutWorkers, type WorkersTest } from '../support/workers.ts';

const timeoutMs = 2_000;
/** More than one worker sends to one origin at a time. */
const paths = Array.from({ length: 150 }, (_, i) => `/hook/${i}`);
let web: WorkersTest;
beforeAll(async () => {
  web = await startWithoutWorkers({ WEBHOOK_TIMEOUT: `${timeoutMs}ms`, WEBHOOK_LEASE: `${2 * timeoutMs}ms` });
  for (const path of paths) await web.register(path);
});
afterAll(() => web.stop());

const deliveries = (): number => paths.reduce((sum, path) => sum + web.slugs(path).length, 0);
const withoutRepeats = (slugs: string[]): string[] => slugs.filter((slug, i) => slugs.indexOf(slug) === i);
const nothingComes = async (): Promise<boolean> => {
  const before = web.receiver.received.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  return web.receiver.received.length === before;
};

it('another takes over what a killed worker had leased, in order, and repeats no more than was in flight', async () => {
  const [doomed, other] = await Promise.all([web.startWorker(), web.startWorker()]);
  const attempts = (): number[] => [doomed, other].map((worker) => worker.output().split('"attempt"').length);
  const published: string[] = [];
  const held: ServerResponse[] = [];
  let isHolding = false;
  /** Requests whose response did not go out whole: whoever sent them can not know that they were taken. */
  let unanswered = 0;
  web.receiver.respond((_received, res) => {
    res.once('close', () => (unanswered += res.writableFinished ? 0 : 1));
    if (isHolding) held.push(res);
    else setTimeout(() => res.writeHead(204).end(), 15);
  });
  await until('both are in the middle of a fan-out', async () => {
    const before = attempts();
    const areBothAtIt = (): boolean => attempts().every((count, i) => count > (before[i] ?? 0));
    for (let i = 0; i < 10; i += 1) published.push(await web.publish(`Event ${published.length}`));
    const isDone = (): boolean => deliveries() === published.length * paths.length;
    await until('both are, or one has done it alone', () => areBothAtIt() || isDone());
    return !isDone();
  });
  isHolding = true;
  await until('both wait for answers', nothingComes);
  await doomed.kill();
  await until('its connections are closed', async () => held.some((res) => res.destroyed) && nothingComes());
  const inFlight = held.filter((res) => res.destroyed).length;
  expect(inFlight).toBeLessThan(held.length);
  isHolding = false;
  for (const res of held) if (!res.destroyed) res.writeHead(204).end();

  await until('every webhook has every event', () =>
    paths.every((path) => new Set(web.slugs(path)).size === published.length),
  );
  for (const path of paths) expect(withoutRepeats(web.slugs(path))).toEqual(published);
  expect(deliveries() - published.length * paths.length).toBeLessThanOrEqual(unanswered);
  expect(await other.stop()).toBe(0);
}, 60_000);
