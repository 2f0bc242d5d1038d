/** What a fan-out costs, as ratios: against a bare loop of requests (the limit), and against BullMQ (the peer). See README.md. */
import { manyOrigins, oneOrigin } from './fan-out/endpoints.ts';
import { startFixture } from './fan-out/fixture.ts';
import { measureThroughput, type Samples } from './fan-out/throughput.ts';
import { median } from './support/statistics.ts';

const fixture = await startFixture();
const { port } = fixture;

const show = (title: string, { ours, bare, bullmq }: Samples): void => {
  const rate = ({ perSec }: { perSec: number[] }) => median(perSec);
  const cpu = ({ cpuUs }: { cpuUs: number[] }) => median(cpuUs);
  console.log(title);
  for (const [name, s] of Object.entries({ ours, bare, bullmq })) console.log(`  ${name.padEnd(8)} ${rate(s).toFixed(0).padStart(7)}/s  ${(rate(s) / rate(bare)).toFixed(2)} of the limit   ${cpu(s).toFixed(0)} µs CPU  ${(cpu(bare)/cpu(s)).toFixed(2)}   [${s.perSec.map((x) => x.toFixed(0)).join(' ')}]`);
};

try {
  const one = oneOrigin(port, 1_000);
  show('kept-alive, 1 origin', await measureThroughput(fixture, { targets: () => one, events: 3, rounds: 5, warm: true, bareAtOnce: Number(process.env.A ?? 64) }));
  const many = manyOrigins(port, 1_000);
  show('kept-alive, 1,000 origins', await measureThroughput(fixture, { targets: () => many, events: 3, rounds: 5, warm: true, bareAtOnce: Number(process.env.B ?? 256) }));
  show('new hosts', await measureThroughput(fixture, { targets: (turn) => manyOrigins(port, 300, 2_000 + turn * 300), events: 1, rounds: 5, warm: false, bareAtOnce: Number(process.env.C ?? 64) }));
} finally {
  await fixture.stop();
}
