/** Compares each new bot with all others, and reports those that imitate one by their names, authors or texts. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { StoreUnreachable } from '../base/failure.ts';
import type { BotId, Ids } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Directory, Imitation } from '../directory/directory.ts';
import type { ReportStore } from '../store/reports/report-store.ts';

/**
 * New bots are compared in batches, this long after the first was published, in milliseconds: each batch has to bring
 * the copy up to date, which takes longer than a submit.
 */
const batchMs = 1_000;

type NewBot = { readonly id: BotId; readonly slug: string };

type WatchDeps = {
  readonly directory: Pick<Directory, 'fresh' | 'imitationBy'>;
  readonly reports: Pick<ReportStore, 'add'>;
  readonly ids: Pick<Ids, 'report'>;
  readonly log: Log;
};

/** Reports new bots that imitate others, as far as this process publishes them. */
export class TextWatch {
  readonly #deps: WatchDeps;
  #batch: NewBot[] = [];

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** Takes note of a bot that was published. */
  see(bot: NewBot): void {
    if (this.#batch.push(bot) === 1) setTimeout(() => void this.#compareBatch(), batchMs).unref();
  }

  async #compareBatch(): Promise<void> {
    const { directory, reports, ids, log } = this.#deps;
    const batch = this.#batch;
    this.#batch = [];
    try {
      await directory.fresh();
      for (const { id, slug } of batch) {
        const found = directory.imitationBy(slug);
        if (found !== undefined) await reports.add({ id: ids.report(), subject: id, ...likeness(found) });
        // A wave does not hold the event loop.
        await nextTick();
      }
    } catch (error) {
      if (!(error instanceof StoreUnreachable)) log.error({ err: error }, 'new bots could not be compared');
    }
  }
}

/** What a report says of a bot that is like another. */
const likeness = ({ part, of }: Imitation<string>) =>
  ({ reason: 'look_alike', text: `Its ${part} is like that of ${of}.` }) as const;
