/**
 * Notices an outage of our own network: unrelated endpoints that worked cannot be reached any more, all at the same
 * time. While that is so, their failures do not count (decision 0013). Each process judges by its own attempts.
 */
import type { Metrics } from '../base/metrics.ts';
import type { Log } from '../base/log.ts';
import type { Progress } from '../domain/delivery.ts';
import type { Outcome } from '../outbound/send-webhook.ts';

/** The registrable domains that were attempted lately, by their last attempts. */
export type Attempted = { readonly failing: number; readonly reached: number };

/** Fewer domains than this may well fail together by chance, or because they share a host. */
const fewestFailing = 10;
/** In an outage, at least this many domains fail for each that is reached. */
const failingForEachReached = 3;

/** Whether what fails is our own network, rather than the endpoints. */
export const isOwnOutage = ({ failing, reached }: Attempted): boolean =>
  failing >= fewestFailing && failing >= failingForEachReached * reached;

/** Longer than the longest wait after a fault of our own, so that a domain that still fails stays in the window. */
const windowMs = 5 * 60_000;
/** The most domains that are remembered, and how many of them stay when there are more. */
const mostDomains = 50_000;
const keptDomains = 45_000;
const pruneEveryMs = 1_000;
/** A webhook that failed more often in a row was in trouble before the others. */
const mostFailures = 2;

/** A domain's last attempt. `counts`: false if it fails and was in trouble before: no evidence. */
type Domain = { readonly name: string; readonly isReached: boolean; readonly counts: boolean; readonly atMs: number };

/** Failures without a response. */
const unreached: readonly string[] = ['connect', 'dns', 'tls', 'timeout'];

type Deps = {
  /** A monotonic clock. */
  readonly steadyMs: () => number;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'reportOwnOutage'>;
};

/** The attempts of one process, by domain, and what they mean. */
export class OwnOutage {
  readonly #deps: Deps;
  /** By time of the last attempt, to the second. */
  readonly #domains = new Map<string, Domain>();
  #failing = 0;
  #reached = 0;
  #wasOutage = false;
  #prunedMs = -Infinity;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.metrics.reportOwnOutage(() => {
      this.#prune();
      return this.#isOutage();
    });
  }

  /** How many domains are remembered. */
  get size(): number {
    return this.#domains.size;
  }

  /** Takes an attempt into account. Returns its outcome, which is our fault during an outage of ours. */
  judge(domain: string, outcome: Outcome, { failures, ownFaults }: Pick<Progress, 'failures' | 'ownFaults'>): Outcome {
    if (outcome.kind === 'failed' && (outcome.isOurs || outcome.failure === 'forbidden_address')) return outcome;
    const isReached = outcome.kind === 'delivered' || !unreached.includes(outcome.failure);
    this.#prune();
    this.#note(domain, isReached, failures <= mostFailures || ownFaults > 0);
    const isOurs = this.#isOutage();
    return isReached || !isOurs ? outcome : { ...outcome, isOurs };
  }

  #note(name: string, isReached: boolean, isHealthy: boolean): void {
    const known = this.#domains.get(name);
    const counts = isReached || isHealthy || known?.counts === true;
    const atMs = this.#deps.steadyMs();
    if (known !== undefined) {
      // Not moved at every attempt: a Map passes all entries that were deleted from it.
      if (known.isReached === isReached && known.counts === counts && atMs - known.atMs < pruneEveryMs) return;
      this.#forget(known);
    }
    this.#domains.set(name, { name, isReached, counts, atMs });
    this.#count(isReached, counts, 1);
  }

  /** Forgets domains that are too old or too many. Not at every attempt: reading a Map passes all deleted entries. */
  #prune(): void {
    const nowMs = this.#deps.steadyMs();
    const isFull = this.#domains.size >= mostDomains;
    if (nowMs - this.#prunedMs < pruneEveryMs && !isFull) return;
    this.#prunedMs = nowMs;
    for (const domain of this.#domains.values()) {
      if (domain.atMs >= nowMs - windowMs && !(isFull && this.#domains.size > keptDomains)) break;
      this.#forget(domain);
    }
  }

  #isOutage(): boolean {
    const failing = this.#failing;
    const reached = this.#reached;
    const isOutage = isOwnOutage({ failing, reached });
    if (isOutage !== this.#wasOutage) {
      this.#wasOutage = isOutage;
      if (isOutage)
        this.#deps.log.error({ failing, reached }, 'our network fails: failures of deliveries do not count');
      else this.#deps.log.info({ failing, reached }, 'our network works again: failures of deliveries count');
    }
    return isOutage;
  }

  #forget(domain: Domain): void {
    this.#domains.delete(domain.name);
    this.#count(domain.isReached, domain.counts, -1);
  }

  #count(isReached: boolean, counts: boolean, change: 1 | -1): void {
    if (isReached) this.#reached += change;
    else if (counts) this.#failing += change;
  }
}
