/** The worked example of `docs/SCALING.md`: the measured cost of each part, at internet scale. */
import { ours, type Figure, type Result } from '../support/results.ts';
import { bySize, figuresOf } from './figures.ts';
import { count, table } from './table.ts';

/** The load of the example. */
const load = { bots: 10_000_000, webhooks: 1_000_000, requestsPerSec: 100_000, publishesPerSec: 10 };
/** A CDN that revalidates: how many edge locations request a URL, each at most once in so many seconds. */
const edge = { points: 300, everySec: 1 };
/** The planned use of a core. */
const planned = 0.5;

/** Its tables. Inputs are measured; rows without a measurement are left out. */
export const workedExample = (results: readonly Result[]): string => {
  const inputs = inputsOf(results);
  const shown = inputs.filter((input): input is Input & { value: number } => input.value !== undefined);
  const by = Object.fromEntries(shown.map(({ key, value }) => [key, value]));
  if (shown.length === 0) return 'Nothing was measured yet.';
  return [
    table(
      ['Measured', 'Figure', 'From'],
      shown.map(({ text, value, unit, from }) => [text, `${shortened(value)} ${unit}`, from]),
    ),
    table(['Part', 'At this scale', 'Why'], partsOf(by, largestSize(results))),
  ].join('\n\n');
};

/** Below this, the fixed cost of a process outweighs its bots. */
const smallestSize = 100_000;

const largeSizes = (results: readonly Result[]): Figure[] =>
  bySize(results).filter(({ who, at = 0 }) => who === ours && at >= smallestSize);

const largestSize = (results: readonly Result[]): number => largeSizes(results).at(-1)?.at ?? 0;

type Input = {
  readonly key: string;
  readonly text: string;
  readonly value: number | undefined;
  readonly unit: string;
  readonly from: string;
};

const inputsOf = (results: readonly Result[]): Input[] => {
  const sizes = largeSizes(results);
  const largest = (name: string): number | undefined => figuresOf(sizes, name, ours).at(-1)?.value;
  const of = (result: string, name: string): number | undefined => {
    const found = results.find((one) => one.name === result);
    return found === undefined ? undefined : figuresOf(found.figures, name, ours)[0]?.value;
  };
  const newHosts = 'new hosts: a TLS handshake for each delivery: CPU of a delivery';
  const bySizeFile = `list-by-size, ${count(largestSize(results))} bots`;
  return [
    input('memory', 'memory of a web process, a bot', largest('memory a bot (RSS)'), 'B', bySizeFile),
    input('redisBot', 'memory of Redis, a bot with its event', largest('Redis memory a bot'), 'B', bySizeFile),
    input('start', 'start until the first page', largest('start until the first page'), 'ms', bySizeFile),
    input('write', 'CPU of a web process for a write', largest(underWrite), 'ms', bySizeFile),
    input('pages', 'pages of 20 per process', of('list', 'a page of 20: a second'), 'a second', 'list'),
    input('revalidations', '304s per process', of('list', '304: a second'), 'a second', 'list'),
    input('webhook', 'memory of Redis, a webhook', of('scale', 'Redis memory a webhook'), 'B', 'scale'),
    input('bookkeeping', 'webhooks whose delivery one worker books', of('scale', bookkeeping), 'a second', 'scale'),
    input('delivery', 'CPU of a delivery to a new host', of('fan-out', newHosts), 'µs', 'fan-out'),
    input('publish', 'publish with a million webhooks, p50', of('scale', publish), 'ms', 'scale'),
  ];
};

const underWrite = 'a write a second, pages only: CPU of the first process a write';
const bookkeeping = 'webhooks a second, bookkeeping of one worker';
const publish = 'publish with 1,000,000 webhooks, p50';

const input = (key: string, text: string, value: number | undefined, unit: string, from: string): Input => ({
  key,
  text,
  value,
  unit,
  from,
});

/** Rows whose inputs are all there. */
const partsOf = (by: Readonly<Record<string, number>>, measuredBots: number): string[][] => {
  const { bots, webhooks, requestsPerSec, publishesPerSec } = load;
  const deliveries = webhooks * publishesPerSec;
  const atOrigin = edge.points / edge.everySec;
  const rows: (string[] | undefined)[] = [
    given(by.pages, (pages) => [
      'Reads, no CDN',
      `${count(Math.ceil(requestsPerSec / (pages * planned)))} web processes`,
      `${count(requestsPerSec)} a second, each process at half of ${count(pages)}`,
    ]),
    given(by.revalidations, (revalidations) => [
      'Reads, CDN that revalidates',
      `${count(Math.max(2, Math.ceil((atOrigin * 20) / (revalidations * planned))))} web processes`,
      `${edge.points} edge locations request 20 popular URLs once a second: ${count(atOrigin * 20)} revalidations a second`,
    ]),
    given(by.memory, (memory) => [
      'Memory of a web process',
      `${shortened((bots * memory) / 1e9)} GB`,
      `${count(bots)} bots: **breaks first**, since each process holds all of them`,
    ]),
    given(by.start, (start) => [
      'Start of a web process',
      `${shortened(((start / 1_000) * bots) / measuredBots)} s`,
      'in proportion; `/readyz` is 503 until then',
    ]),
    given(by.write, (write) => [
      'Writes, CPU of each web process',
      `${shortened((write * publishesPerSec) / 10)} % of a core`,
      `${publishesPerSec} a second; depends on what changed, not on the directory`,
    ]),
    given(by.redisBot, (redisBot) => [
      'Redis, the directory’s slot',
      `${shortened((bots * redisBot) / 1e9)} GB on one node`,
      'one slot: it does not spread over a cluster',
    ]),
    given(by.webhook, (webhook) => [
      'Redis, webhooks',
      `${shortened((webhooks * webhook) / 1e9)} GB over up to 16 nodes`,
      '16 partitions, each in a slot of its own',
    ]),
    given(by.bookkeeping, (rate) => [
      'Workers, bookkeeping',
      `${count(Math.ceil(deliveries / (rate * planned)))} processes`,
      `${count(deliveries)} deliveries a second: each bot goes to every webhook`,
    ]),
    given(by.delivery, (us) => [
      'Workers, TLS to new hosts',
      `${count(Math.ceil((deliveries * us) / 1e6 / planned))} cores`,
      `${count(us)} µs each: the largest cost of all`,
    ]),
  ];
  return rows.filter((row) => row !== undefined);
};

const given = (value: number | undefined, row: (value: number) => string[]): string[] | undefined =>
  value === undefined ? undefined : row(value);

const shortened = (value: number): string =>
  value >= 100 ? count(value) : value.toLocaleString('en', { maximumSignificantDigits: 3 });
