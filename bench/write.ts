/**
 * Submits, compared with a bare Express handler that parses JSON and runs the same script. That handler runs twice: as
 * it is, and also fetching the template as the directory must. Each has a Redis of its own, because the directory takes
 * over what others publish, too. All take turns in many short rounds. CPU is that of the server's process for one
 * submit: unlike the rest, it hardly depends on what else runs.
 */
import { startRedis } from '../scripts/redis.mjs';
import { publishBots, templateHost } from './support/bots.ts';
import { startChild } from './support/child.ts';
import type { LoadCalls, Sample } from './support/load.ts';
import { writeResult } from './support/results.ts';
import { startServer } from './support/server.ts';
import { median } from './support/statistics.ts';
import { count, ratio, row } from './support/table.ts';
import type { BareCalls } from './write/bare.ts';

const quick = process.argv.includes('--quick');
const connections = 32;
const { rounds, forMs } = quick ? { rounds: 3, forMs: 200 } : { rounds: 21, forMs: 500 };

type Contender = {
  readonly name: string;
  readonly port: number;
  readonly cpuUs: () => Promise<number>;
  readonly samples: (Sample & { readonly cpuUs: number })[];
};

const body = JSON.stringify({ link: `https://${templateHost}/bot/t{n}`, author: '@somebody', categories: ['SEO'] });
// `{n}` becomes nine digits.
const bytes = Buffer.byteLength(body) - '{n}'.length + 9;
const submit = [
  'POST /api/bots/submit HTTP/1.1',
  'Host: 127.0.0.1',
  'Content-Type: application/json',
  `Content-Length: ${bytes}`,
  '',
  body,
].join('\r\n');

const server = await startServer({ probed: 'cpu' });
const { baseUrl, templateOrigin } = server;
const [redisAlone, redisAsking] = await Promise.all([startRedis({ persist: true }), startRedis({ persist: true })]);
for (const { url } of [{ url: server.redisUrl }, redisAlone, redisAsking])
  await publishBots(url, { first: 0, count: 1_000 });
const file = new URL('./write/bare.ts', import.meta.url);
const alone = startChild<BareCalls>(file);
const asking = startChild<BareCalls>(file);
const load = startChild<LoadCalls>(new URL('./support/load.ts', import.meta.url));

try {
  const bare: Contender = {
    name: 'one script',
    port: await alone.call('start', { redisUrl: redisAlone.url, baseUrl, templateOrigin: undefined }),
    cpuUs: () => alone.call('cpuUs', undefined),
    samples: [],
  };
  const withTemplate: Contender = {
    name: 'template, one script',
    port: await asking.call('start', { redisUrl: redisAsking.url, baseUrl, templateOrigin }),
    cpuUs: () => asking.call('cpuUs', undefined),
    samples: [],
  };
  const directory: Contender = {
    name: 'directory',
    port: server.port,
    cpuUs: async () => (await server.vitals()).cpuUs,
    samples: [],
  };
  const all = [bare, withTemplate, directory];
  for (let round = -2; round < rounds; round++) {
    for (const { port, cpuUs, samples } of round % 2 === 0 ? all : all.toReversed()) {
      const before = await cpuUs();
      const sample = await load.call('round', { port, request: submit, statuses: [200], connections, forMs });
      // The rounds before the first are for compilers and caches.
      if (round >= 0) samples.push({ ...sample, cpuUs: ((await cpuUs()) - before) / (sample.answers + connections) });
    }
  }
  const over = (a: Contender, b: Contender, figure: (sample: Contender['samples'][number]) => number): string =>
    ratio(median(a.samples.map((sample, i) => figure(sample) / figure(b.samples[i] ?? sample))));
  const against = (a: Contender, b: Contender): string[] => [
    over(a, b, (s) => s.perSec),
    over(a, b, (s) => s.p50Ms),
    over(a, b, (s) => s.p99Ms),
    over(a, b, (s) => s.cpuUs),
  ];
  console.log(row('submits', ['submits/s', 'ratio', 'p50', 'p99', 'CPU', 'CPU µs']));
  for (const one of all)
    console.log(
      row(one.name, [
        count(median(one.samples.map((s) => s.perSec))),
        ...against(one, bare),
        count(median(one.samples.map((s) => s.cpuUs))),
      ]),
    );
  const figures = all.flatMap(({ name, samples }) => [
    { name: 'submits a second', who: name, value: Math.round(median(samples.map((s) => s.perSec))), unit: '' },
    { name: 'p50', who: name, value: Math.round(median(samples.map((s) => s.p50Ms)) * 100) / 100, unit: 'ms' },
    { name: 'p99', who: name, value: Math.round(median(samples.map((s) => s.p99Ms)) * 100) / 100, unit: 'ms' },
    { name: 'CPU of a submit', who: name, value: Math.round(median(samples.map((s) => s.cpuUs))), unit: 'µs' },
  ]);
  console.log(writeResult('write', figures));
  console.log(row('directory ÷ template', ['', ...against(directory, withTemplate)]));
} finally {
  await Promise.all([alone.stop(), asking.stop(), load.stop()]);
  await Promise.all([server.stop(), redisAlone.stop(), redisAsking.stop()]);
}
