/**
 * A million webhooks in one Redis: their memory, what a publish costs with that many, and how long one event takes to
 * reach all. See README.md.
 */
import { parseArgs } from 'node:util';
import { manyOrigins } from './fan-out/endpoints.ts';
import { startFixture } from './fan-out/fixture.ts';
import { ours, writeResult, type Figure } from './support/results.ts';
import { median, nowMs, quantile } from './support/statistics.ts';

const { values } = parseArgs({ options: { webhooks: { type: 'string', default: '1000000' } } });
const most = Number(values.webhooks);
const counts = [10, 1_000, 100_000, 1_000_000].filter((count) => count < most).concat(most);
const publishes = 300;
const port = 8_443;

const fixture = await startFixture();
const { directory } = fixture;
const figures: Figure[] = [];
const note = (name: string, value: number, unit: string): void => {
  figures.push({ name, who: ours, value: Math.round(value * 1_000) / 1_000, unit });
};
const number = (value: number): string => value.toLocaleString('en');

try {
  // They are registered as having the events that are published before the fan-out.
  const cursor = counts.length * publishes;
  console.log('webhooks   publish p50   publish p99');
  const startedAtMs = nowMs();
  let registered = 0;
  let registeringMs = 0;
  let bytes = 0;
  for (const count of counts) {
    const fromMs = nowMs();
    const fromBytes = await directory.usedMemory();
    await directory.register(manyOrigins(port, count - registered, registered), cursor);
    registeringMs += nowMs() - fromMs;
    bytes += (await directory.usedMemory()) - fromBytes;
    registered = count;
    const tookMs: number[] = [];
    for (let i = 0; i < publishes; i++) {
      const publishedAtMs = nowMs();
      await directory.publish();
      tookMs.push(nowMs() - publishedAtMs);
    }
    for (const [name, value] of Object.entries({ p50: median(tookMs), p99: quantile(tookMs, 0.99) }))
      note(`publish with ${number(count)} webhooks, ${name}`, value, 'ms');
    console.log(
      `${number(count).padStart(9)} ${`${median(tookMs).toFixed(3)} ms`.padStart(12)} ${`${quantile(tookMs, 0.99).toFixed(3)} ms`.padStart(13)}`,
    );
  }
  console.log(
    `\nRegistered in ${(registeringMs / 1e3).toFixed(0)} s: ${(bytes / most).toFixed(0)} bytes of Redis per webhook`,
  );

  note('Redis memory a webhook', bytes / most, 'B');

  const worker = await fixture.startWorker('none');
  await directory.settled();
  const last = worker.call('expect', most);
  const publishedAtMs = nowMs();
  await directory.publish();
  await last;
  const lastClaimMs = nowMs() - publishedAtMs;
  await directory.settled();
  const settledMs = nowMs() - publishedAtMs;
  console.log(
    `One event: last claim after ${(lastClaimMs / 1e3).toFixed(2)} s, last settlement after ${(settledMs / 1e3).toFixed(2)} s: ${number(Math.round((most / settledMs) * 1e3))} webhooks per second, one worker`,
  );
  note(`one event for ${number(most)} webhooks, last settlement`, settledMs / 1e3, 's');
  note('webhooks a second, bookkeeping of one worker', (most / settledMs) * 1e3, '');
  console.log(writeResult('scale', figures));
  console.log(`Whole run: ${((nowMs() - startedAtMs) / 1e3).toFixed(0)} s`);
} finally {
  await fixture.stop();
}
