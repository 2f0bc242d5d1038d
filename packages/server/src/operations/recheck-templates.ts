/**
 * Reads all templates again, a few at a time, so that one pass over all bots takes a given time. The store has the
 * cursor, so any number of processes may each run one; none is special. A bot whose template is gone is withdrawn, and
 * comes back with it. See decision 0117.
 */
import { StoreUnreachable } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import { repeat, type Repeated } from '../base/repeat.ts';
import type { ClaimedReading, ReadingStore } from '../store/readings/reading-store.ts';
import { readTemplate, type ReadTemplateDeps, type TemplateReading } from './read-template.ts';

/** What the pass over all templates needs. `passMs`: how long a pass takes; `pollMs`: the longest it sleeps. */
export type RecheckDeps = ReadTemplateDeps & {
  readonly readings: ReadingStore;
  readonly passMs: number;
  readonly pollMs: number;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'templateChecks'>;
};

/** Templates that one process reads at the same time. */
const atOnce = 4;
/** How long it backs off after a failure of the store. */
const backoffMs = 1_000;
/** How long a provider that is down is left alone, if it does not say; and the bounds of what it may say. */
const pauseMs = 60_000;
const shortestPauseMs = 10_000;
const longestPauseMs = 3_600_000;

/** Starts the pass. `stop()` resolves when the readings under way are done. */
export const startRechecks = (deps: RecheckDeps): Repeated =>
  repeat(async () => Math.min(await checkNext(deps), deps.pollMs));

/** Checks the next templates. Returns how long to wait then, in milliseconds. */
const checkNext = async (deps: RecheckDeps): Promise<number> => {
  try {
    const { waitMs, claimed } = await deps.readings.claimNext(atOnce, deps.passMs);
    await Promise.all(claimed.map((one) => check(deps, one)));
    return waitMs;
  } catch (error) {
    // The store's own log lines say that it is away.
    if (!(error instanceof StoreUnreachable)) deps.log.error({ err: error }, 'templates could not be checked');
    return backoffMs;
  }
};

const check = async (deps: RecheckDeps, claimed: ClaimedReading): Promise<void> => {
  const { id, hash, position } = claimed;
  // A template that fails again and again must not keep the cursor from the others.
  const failedBefore = hash.get('read_result') === 'template_provider_unavailable';
  const reading = await readTemplate(deps, claimed, ({ retryAfterMs = pauseMs }) => ({
    forMs: Math.min(Math.max(retryAfterMs, shortestPauseMs), longestPauseMs),
    position: failedBefore ? '' : position,
  }));
  const result = reading.outcome === 'missing' ? await withdraw(deps, claimed) : resultOf(reading);
  deps.metrics.templateChecks.inc({ result });
  if (result === 'withdrawn' || result === 'returned') deps.log.info({ bot: id, result }, 'template checked');
};

const resultOf = (reading: Exclude<TemplateReading, { outcome: 'missing' }>): string =>
  reading.outcome === 'read' ? (reading.changed.length > 0 ? 'changed' : 'unchanged') : reading.outcome;

/** Withdraws the bot if its template has been missing for long enough. */
const withdraw = async ({ readings, ids }: RecheckDeps, { id, hash }: ClaimedReading): Promise<string> => {
  if (hash.get('state') !== undefined) return 'missing';
  const outcome = await readings.withdraw(id, ids.event());
  return outcome === 'early' ? 'missing' : outcome;
};
