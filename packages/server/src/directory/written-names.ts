/** How integrations are written on the bots of the copy: the oldest bot that says so decides. */
import { splitList } from '../domain/bot.ts';
import { namedBy } from '../domain/names.ts';

/** Names by the positions of bots. They are worked out when they are first read after a change. */
export class WrittenNames {
  /** As they are stored. */
  readonly #stored = new Map<number, string>();
  #bySlug: ReadonlyMap<string, string> | undefined;

  /** Sets those of the bot at a position; '' for none. */
  set(position: number, stored: string): void {
    if (stored === (this.#stored.get(position) ?? '')) return;
    if (stored === '') this.#stored.delete(position);
    else this.#stored.set(position, stored);
    this.#bySlug = undefined;
  }

  /** The name of an integration; `undefined` if no bot has it written in a way that says more than its slug. */
  get(slug: string): string | undefined {
    this.#bySlug ??= namedBy(this.#all());
    return this.#bySlug.get(slug);
  }

  /** The oldest bots first. Very many bots have few different names. */
  #all(): string[] {
    const stored = [...this.#stored].sort(([a], [b]) => a - b);
    return [...new Set(stored.flatMap(([, joined]) => splitList(joined)))];
  }
}
