/**
 * What a fan-out costs, as ratios: against a bare loop of requests (the limit), and against BullMQ (the peer). See
 * README.md.
 */
import { measureAsleep } from './fan-out/asleep.ts';
import { measureBookkeeping } from './fan-out/bookkeeping.ts';
import { closingOrigins, manyOrigins, oneOrigin } from './fan-out/endpoints.ts';
import { startFixture } from './fan-out/fixture.ts';
import { measureIdle, measureNeighbours } from './fan-out/latency.ts';
import { measureMemory } from './fan-out/memory.ts';
import { measureSpaced } from './fan-out/spaced.ts';
import { measureThroughput, type Samples, type Scenario } from './fan-out/throughput.ts';
import { ours, writeResult, type Figure } from './support/results.ts';
import { median, quantile } from './support/statistics.ts';

const fixture = await startFixture();
const { port } = fixture;

const one = oneOrigin(port, 1_000);
const many = manyOrigins(port, 1_000);
const closing = closingOrigins(port, 1_000);
const newHosts = 300;
const scenarios: Record<string, Scenario> = {
  'kept-alive HTTPS, 1,000 webhooks at 1 origin': {
    targets: () => one,
    events: 4,
    rounds: 9,
    warm: true,
    bareAtOnce: 64,
  },
  'kept-alive HTTPS, 1,000 webhooks at 1,000 origins': {
    targets: () => many,
    events: 4,
    rounds: 9,
    warm: true,
    bareAtOnce: 64,
  },
  'known hosts, closed connections; the bare loop resumes none': {
    targets: () => closing,
    events: 2,
    rounds: 9,
    warm: true,
    bareAtOnce: 64,
  },
  'new hosts: a TLS handshake for each delivery': {
    targets: (turn) => manyOrigins(port, newHosts, 2_000 + turn * newHosts),
    events: 1,
    rounds: 9,
    warm: false,
    bareAtOnce: 64,
  },
};

const figures: Figure[] = [];
const note = (name: string, who: string, value: number, unit: string): void => {
  figures.push({ name, who: who === 'ours' ? ours : who, value: Math.round(value * 100) / 100, unit });
};

/** Rates and their ratio to the bare loop's; and the ratio of CPU time, which a busy machine disturbs less. */
const showThroughput = (title: string, samples: Samples): void => {
  console.log(
    `\n${title}${' '.repeat(Math.max(1, 54 - title.length))}per second   of the limit   CPU per delivery   of the limit   receivers' CPU`,
  );
  const limit = median(samples.bare.perSec);
  const limitUs = median(samples.bare.cpuUs);
  for (const [name, { perSec, cpuUs, receiverCpuUs }] of Object.entries(samples)) {
    const rate = median(perSec);
    const us = median(cpuUs);
    const cells = [
      rate.toFixed(0).padStart(10),
      (rate / limit).toFixed(2).padStart(14),
      `${us.toFixed(0)} µs`.padStart(18),
      (limitUs / us).toFixed(2).padStart(14),
      `${median(receiverCpuUs).toFixed(0)} µs`.padStart(16),
    ];
    note(`${title}: a second`, name, rate, '');
    note(`${title}: CPU of a delivery`, name, us, 'µs');
    console.log(`  ${name.padEnd(52)}${cells.join(' ')}`);
  }
};

/** A result of its own, so that it can run alone. */
const showAsleep = async (): Promise<void> => {
  const figures = await measureAsleep(fixture);
  for (const { name, value, unit } of figures) console.log(`${name}: ${value} ${unit}`);
  console.log(writeResult('asleep', figures));
};

const measureAll = async (): Promise<void> => {
  const { perPublish, perPending } = await measureMemory(fixture);
  console.log('Redis memory');
  console.log(
    `  a publish: ${perPublish.alone.toFixed(0)} bytes alone, ${perPublish.behind.toFixed(0)} with 20,000 webhooks behind`,
  );
  note('Redis memory of a publish', 'ours', perPublish.alone, 'B');
  note('Redis memory of a pending delivery', 'ours', perPending.ours, 'B');
  note('Redis memory of a pending delivery', 'bullmq', perPending.bullmq, 'B');
  console.log(`  a pending delivery: ours ${perPending.ours.toFixed(3)} bytes, BullMQ ${perPending.bullmq.toFixed(0)}`);

  const bookkeeping = await measureBookkeeping(fixture);
  const own = median(bookkeeping.ours);
  const peer = median(bookkeeping.bullmq);
  note('bookkeeping alone: a second', 'ours', own, '');
  note('bookkeeping alone: a second', 'bullmq', peer, '');
  console.log('\nBookkeeping, nothing sent');
  console.log(`  ours ${own.toFixed(0)}/s, BullMQ ${peer.toFixed(0)}/s: ${(own / peer).toFixed(1)} times`);

  for (const [title, scenario] of Object.entries(scenarios))
    showThroughput(title, await measureThroughput(fixture, scenario));

  for (const seconds of [5, 30]) {
    const title = `1,000 origins, an event every ${seconds} s: CPU of a delivery`;
    console.log(`\n${title}`);
    const samples = await measureSpaced(fixture, seconds * 1_000);
    const limit = median(samples['bare, kept']);
    for (const [name, cpuUs] of Object.entries(samples)) {
      const us = median(cpuUs);
      note(title, name, us, 'µs');
      console.log(
        `  ${name.padEnd(20)}${us.toFixed(0).padStart(6)} µs, ${(us / limit).toFixed(2)} × the kept-alive loop`,
      );
    }
  }

  console.log('\nPublish to first delivery, idle system');
  for (const [name, samples] of Object.entries(await measureIdle(fixture))) {
    note('publish to first delivery, p50', name, median(samples), 'ms');
    console.log(
      `  ${name.padEnd(5)} p50 ${median(samples).toFixed(2)} ms, p99 ${quantile(samples, 0.99).toFixed(2)} ms`,
    );
  }

  const { undisturbed, disturbed } = await measureNeighbours(fixture);
  console.log(
    `Healthy endpoints' p99: ${median(undisturbed).toFixed(1)} ms, while the other half hangs ${median(disturbed).toFixed(1)} ms: ${(median(disturbed) / median(undisturbed)).toFixed(2)} times`,
  );
  note('p99 of healthy endpoints', 'ours', median(undisturbed), 'ms');
  note('p99 of healthy endpoints while half of all hang', 'ours', median(disturbed), 'ms');
  console.log(writeResult('fan-out', figures));
};

try {
  await showAsleep();
  if (!process.argv.includes('--asleep')) await measureAll();
} finally {
  await fixture.stop();
}
