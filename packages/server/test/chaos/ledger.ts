/**
 * Writes and moderates while a fault is on, records what was acknowledged, and checks afterwards that it holds: what
 * was written is there, and what was taken away is nowhere.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bot } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import type { Answer } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { faultsOfQueues } from './check-queues.ts';
import { follow } from './follower.ts';
import { clientAddress, secret, textOf, type World } from './world.ts';

const pauseMs = 25;
const drainMs = 60_000;
const pageSize = 200;
/** One bot of so many is taken away. */
const takenOf = 8;

/** What holds after a fault, in numbers. */
export type Verdict = {
  readonly acknowledged: number;
  readonly refused: number;
  /** Acknowledged, and no longer there: only a replica that was promoted without them may take them away. */
  readonly lost: number;
  /** Events that came, once for each webhook. */
  readonly delivered: number;
  readonly undelivered: number;
  readonly outOfOrder: number;
  readonly duplicates: number;
  readonly bound: number;
  /** From the end of the fault until all processes were ready and took writes. */
  readonly recoveredMs: number;
  readonly figures: string;
  readonly broken: readonly string[];
};

/**
 * What a fault may cost. `interruptions`: how often a delivery may have been cut off after its POST. `mayLose`: what a
 * replica did not have. `mayRefuse`: writes may be 503. `figures`: what its metrics have to report.
 */
export type Allowance = {
  readonly interruptions: number;
  readonly mayLose?: boolean;
  readonly mayRefuse?: boolean;
  readonly figures?: string;
};

type Event = { readonly id: string; readonly type: string; readonly data: { readonly slug: string } };

export class Ledger {
  readonly #world: World;
  #acknowledged: string[] = [];
  /** The code of each refusal. */
  #refusals: string[] = [];
  #cut = 0;
  #number = 0;
  #checked = 0;
  #over = false;
  #writers: Promise<void>[] = [];
  #duplicates = 0;
  #delivered = 0;
  readonly #operator: ReturnType<typeof operatorOf>;
  /** The slugs that were taken away, or may have been, with how. */
  readonly #taken = new Map<string, 'hide' | 'remove'>();
  /** Those that were before this fault, and how many arrivals each webhook had then. */
  #takenBefore: readonly string[] = [];
  #arrivedBefore: readonly number[] = [];
  /** An early event, after which the streams begin; at first one that the log does not have. */
  #first = `evt_${'0'.repeat(26)}`;
  /** A stream that is open while the fault is on, and how much of it had come when all was taken away. */
  #open: ReturnType<typeof follow> | undefined;
  #cameBefore = 0;

  constructor(world: World) {
    this.#world = world;
    this.#operator = operatorOf(world.store.url);
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  /** Begins to write, through both web processes. */
  start(): void {
    this.#over = false;
    this.#checked = this.#acknowledged.length;
    [this.#refusals, this.#cut] = [[], 0];
    this.#takenBefore = [...this.#taken.keys()];
    this.#arrivedBefore = this.#world.webhooks.map(({ arrivals }) => arrivals.length);
    this.#open = follow(() => this.#world.web.url, this.#first);
    this.#writers = [...this.#world.webs.map((_, i) => this.#write(i)), this.#moderate()];
  }

  /** Ends what `start` began. */
  async end(): Promise<void> {
    await this.#stopWriting();
    await this.#open?.stop();
  }

  async #stopWriting(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#writers);
  }

  /** Waits until so many more writes are acknowledged. */
  async written(count: number): Promise<void> {
    const from = this.#acknowledged.length;
    await until('writes are taken', () => this.#acknowledged.length >= from + count, drainMs);
  }

  /** Waits until so many more writes are acknowledged and delivered to every webhook. */
  async delivered(count: number): Promise<void> {
    const from = this.#acknowledged.length;
    await this.written(count);
    const slugs = this.#acknowledged.slice(from);
    const has = (arrivals: readonly string[]): boolean => {
      const arrived = new Set(arrivals);
      return slugs.every((slug) => arrived.has(slug) || this.#taken.has(slug));
    };
    await until('they have come', () => this.#world.webhooks.every(({ arrivals }) => has(arrivals)), drainMs);
  }

  async #write(writer: number): Promise<void> {
    while (!this.#over) {
      // The process that has this place now: the one before it may have been replaced.
      const web = this.#world.webs[writer];
      const body = this.#world.submission(`Bot ${(this.#number += 1)}`);
      const headers = { 'X-Forwarded-For': clientAddress };
      const answer = await web
        ?.api<{ slug: string; code: string }>('POST', '/api/bots/submit', { body, headers })
        .catch(isCut);
      if (answer === undefined) this.#cut += 1;
      else if (answer.status === 200) this.#acknowledged.push(answer.body.slug);
      else if (answer.status === 503) this.#refusals.push(answer.body.code);
      else throw new Error(`a submit was answered with ${answer.status}`);
      await sleep(pauseMs);
    }
  }

  /** Hides and removes bots, as far as the store lets it. */
  async #moderate(): Promise<void> {
    let at = this.#acknowledged.length;
    while (!this.#over) {
      await sleep(pauseMs);
      const slug = this.#acknowledged[at];
      if (slug === undefined) continue;
      at += takenOf;
      await this.#take(slug, at % (2 * takenOf) < takenOf ? 'hide' : 'remove');
    }
  }

  /** Takes a bot away. Returns whether the command was carried out; else it may have been. */
  async #take(slug: string, how: 'hide' | 'remove'): Promise<boolean> {
    this.#taken.set(slug, how);
    return (await this.#operator.attempt('--yes', how, slug, '--reason', 'Spam.')).code === 0;
  }

  /**
   * Finds what was taken away wherever a client can read, in a process that starts now, in what came to webhooks and
   * streams since, and in a new backup.
   */
  async #leftovers(): Promise<string[]> {
    const slugs = [...this.#taken.keys()];
    const texts = slugs.map(textOf);
    const paths = ['/api/bots', '/', '/bots.atom', '/bots.json', '/sitemap.xml', '/api/bots?q=whispered'];
    const pages = slugs.slice(-10).flatMap((slug) => [`/bots/${slug}`, `/api/bots/${slug}`]);
    const started = await this.#world.oneMoreWeb();
    const read = await Promise.all(
      [...this.#world.webs, started].flatMap(({ url }) =>
        [...paths, ...pages].map(async (path) => [path, await (await fetch(`${url}${path}`)).text()] as const),
      ),
    );
    await started.stop();
    const pictures = await Promise.all(
      slugs
        .slice(-10)
        .map(async (slug) => [slug, (await fetch(`${this.#world.web.url}/bots/${slug}/og.png`)).ok] as const),
    );
    const all = await this.#events();
    this.#first = all[0]?.id ?? this.#first;
    const streams = await this.#streams(all.at(-1)?.id ?? '');
    const others = [
      ['/api/events', JSON.stringify(all)],
      ...streams.map((text) => ['a resumed stream', text]),
      ['the stream that was open', this.#open?.text().slice(this.#cameBefore)],
    ] as const;
    const before = this.#takenBefore.map(textOf).filter((text) => this.#open?.text().includes(text) === true);
    const sent = this.#world.webhooks.flatMap(({ arrivals }, i) => arrivals.slice(this.#arrivedBefore[i]));
    const removed = slugs.filter((slug) => this.#taken.get(slug) === 'remove').map(textOf);
    const backup = await this.#backup();
    return [
      ...[...read, ...others].flatMap(([path = '', body = '']) =>
        texts.filter((text) => body.includes(text)).map((text) => `${path} has ${text}`),
      ),
      ...before.map((text) => `the stream that was open had ${text}`),
      ...pictures.flatMap(([slug, isThere]) => (isThere ? [`${slug} has a picture`] : [])),
      ...this.#takenBefore.filter((slug) => sent.includes(slug)).map((slug) => `${slug} was delivered`),
      ...removed.filter((text) => backup.includes(text)).map((text) => `a backup has ${text}`),
    ];
  }

  /** Resumes a stream of each web process after an early event, and again if it ends, and reads it to the last. */
  async #streams(last: string): Promise<string[]> {
    return Promise.all(
      this.#world.webs.map(async ({ url }) => {
        const stream = follow(() => url, this.#first);
        await until('the last event has come', () => stream.text().includes(`id: ${last}\n`), drainMs);
        await stream.stop();
        return stream.text();
      }),
    );
  }

  /** What a hidden bot needs to be listed again is in it; nothing of a removed one is. */
  async #backup(): Promise<string> {
    const file = join(this.#world.home, 'backup.ndjson');
    const { code, output } = await this.#operator.attempt('--yes', 'export', '--file', file);
    if (code !== 0) throw new Error(`an export failed: ${output}`);
    const text = await readFile(file, 'utf8');
    await rm(file);
    return text;
  }

  /** Waits until everything works again, stops writing, and checks every promise. */
  async settle({ interruptions, mayLose = false, mayRefuse = true, figures = '' }: Allowance): Promise<Verdict> {
    const healedMs = performance.now();
    const { webs, webhooks } = this.#world;
    for (const web of webs)
      await until('the store is back', async () => (await web.get('/healthz/store')).status === 200, drainMs);
    await this.written(5);
    const recoveredMs = performance.now() - healedMs;
    await this.#stopWriting();
    // A command that failed may have been carried out, and a promoted replica may not have what was.
    for (const [slug, how] of this.#taken)
      if (!this.#takenBefore.includes(slug) || mayLose)
        await until(`${slug} is taken away`, () => this.#take(slug, how), drainMs);
    this.#cameBefore = this.#open?.text().length ?? 0;

    const lists = await Promise.all(webs.map((web) => this.#listed(web)));
    const there = new Set(lists[0]);
    const written = this.#acknowledged.length;
    const lost = this.#acknowledged.filter((slug) => !there.has(slug) && !this.#taken.has(slug));
    this.#acknowledged = this.#acknowledged.filter((slug) => there.has(slug));
    const log = await this.#log();
    const missing = (): number =>
      webhooks.reduce((sum, { arrivals }) => {
        const arrived = new Set(arrivals);
        return sum + log.filter((slug) => !arrived.has(slug)).length;
      }, 0);
    await until('all are delivered', () => missing() === 0, drainMs).catch(() => undefined);
    await this.#idle();
    const outOfOrder = webhooks.filter(({ arrivals }) => !isInOrder(arrivals, log)).length;
    const duplicates = this.#countDuplicates();
    const bound = 2 * interruptions * webhooks.length;
    const refused = this.#refusals.length;
    const broken = [
      ...(lost.length > 0 && !mayLose ? [`${lost.length} acknowledged writes are lost`] : []),
      ...(lists.every((list) => list.join() === lists[0]?.join()) ? [] : ['two processes list other bots']),
      ...(log.join() === [...(lists[0] ?? [])].reverse().join() ? [] : ['the log and the list differ']),
      ...(missing() > 0 ? [`${missing()} events did not come`] : []),
      ...(outOfOrder > 0 ? [`${outOfOrder} webhooks got events out of order`] : []),
      ...(duplicates > bound ? [`${duplicates} duplicates, of ${bound} that may be`] : []),
      ...(refused > 0 && !mayRefuse
        ? [`${refused} writes were refused: ${[...new Set(this.#refusals)].join(', ')}`]
        : []),
      ...(this.#cut > 0 ? [`${this.#cut} writes were cut off`] : []),
      ...(await this.#leftovers()),
      ...(await faultsOfQueues(this.#world.store.url)),
      ...(await this.#leaks()).map((text) => `a log or a metric has ${text}`),
    ];
    const acknowledged = written - this.#checked;
    const counts = { acknowledged, refused, lost: lost.length, delivered: this.#countDeliveries() };
    return { ...counts, undelivered: missing(), outOfOrder, duplicates, bound, recoveredMs, figures, broken };
  }

  /** Finds what identifies a person or a webhook, in everything that was ever logged and in the metrics. */
  async #leaks(): Promise<string[]> {
    const metrics = await Promise.all(this.#world.webs.map(async (web) => (await web.get<string>('/metrics')).body));
    return [...this.#world.logs(), ...metrics].flatMap((text) => secret.exec(text)?.[0] ?? []);
  }

  async #listed(web: World['web']): Promise<string[]> {
    return (await web.get<Bot[]>('/api/bots')).body.map(({ slug }) => slug);
  }

  /** Reads the slugs of all announcements, in the order of the log. */
  async #log(): Promise<string[]> {
    return (await this.#events()).filter(({ type }) => type === 'bot.created').map(({ data }) => data.slug);
  }

  async #events(): Promise<Event[]> {
    const events: Event[] = [];
    let search: string | undefined = `?limit=${pageSize}`;
    while (search !== undefined) {
      const page: Answer<Event[]> = await this.#world.web.get<Event[]>(`/api/events${search}`);
      events.push(...page.body);
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      search = next === undefined ? undefined : new URL(next).search;
    }
    return events;
  }

  #countDeliveries(): number {
    const all = this.#world.webhooks.reduce((sum, { arrivals }) => sum + new Set(arrivals).size, 0);
    const since = all - this.#delivered;
    this.#delivered = all;
    return since;
  }

  #countDuplicates(): number {
    const all = this.#world.webhooks.reduce((sum, { arrivals }) => sum + arrivals.length - new Set(arrivals).size, 0);
    const since = all - this.#duplicates;
    this.#duplicates = all;
    return since;
  }

  /** Waits until nothing is pending, because a duplicate may come after all events have come. */
  async #idle(): Promise<void> {
    const { web, webhooks } = this.#world;
    for (const { url } of webhooks)
      await until(
        'nothing is pending',
        async () => {
          const path = `/api/webhooks/bots/status?url=${encodeURIComponent(url)}`;
          return (await web.get<{ pending_events: number }>(path)).body.pending_events === 0;
        },
        drainMs,
      );
  }
}

/** Accepts the error of a request that got no response. Throws any other, which is a fault of the test. */
const isCut = (error: unknown): undefined => {
  if (!(error instanceof TypeError)) throw error;
  return undefined;
};

/** Whether first arrivals are in the order of the log, counting only the events that the store still has. */
const isInOrder = (arrivals: readonly string[], log: readonly string[]): boolean => {
  const kept = new Set(log);
  return [...new Set(arrivals)].filter((slug) => kept.has(slug)).join() === log.join();
};
