/** Watches for new bots that are like others, and reports them to the operator. */
import { StoreUnreachable } from '../base/failure.ts';
import type { BotId, Ids } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Directory } from '../directory/directory.ts';
import type { ReportStore } from '../store/moderation-store.ts';

/**
 * New bots are compared so long after the first of them was published, in milliseconds, and at most so many: each time
 * the copy has to be brought up to date, which takes longer than a submit.
 */
const [batchMs, batchMost] = [1_000, 20];

/** A new bot. */
type NewBot = { readonly id: BotId; readonly slug: string };

type Deps = {
  readonly directory: Pick<Directory, 'fresh' | 'textTwinOf'>;
  readonly reports: Pick<ReportStore, 'add'>;
  readonly ids: Pick<Ids, 'report'>;
  readonly log: Log;
};

/** Reports new bots whose descriptions are nearly those of others, as far as this process sees them. */
export class TextWatch {
  readonly #deps: Deps;
  #batch: NewBot[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes note of a bot that was published. */
  see(bot: NewBot): void {
    if (this.#batch.length === batchMost) return;
    if (this.#batch.push(bot) === 1) setTimeout(() => void this.#compareBatch(), batchMs).unref();
  }

  async #compareBatch(): Promise<void> {
    const { directory, reports, ids, log } = this.#deps;
    const batch = this.#batch;
    this.#batch = [];
    try {
      await directory.fresh();
      const found = batch.flatMap(({ id, slug }) => {
        const twin = directory.textTwinOf(slug);
        return twin === undefined ? [] : [{ id: ids.report(), subject: id, ...likeness('text', twin) }];
      });
      await Promise.all(found.map((report) => reports.add(report)));
    } catch (error) {
      if (!(error instanceof StoreUnreachable)) log.error({ err: error }, 'descriptions could not be compared');
    }
  }
}

/** What a report says of a bot that is like another. */
export const likeness = (part: 'name' | 'text', slug: string) =>
  ({ reason: 'look_alike', text: `Its ${part} is like that of ${slug}.` }) as const;
