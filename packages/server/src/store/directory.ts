/**
 * This process's copy of the directory. `fresh()` promises that it is the store's; a caller that gives up its tick of the
 * event loop afterwards must ask again, for the copy goes on.
 */
import type { Post } from '@bot-directory/contract';
import type { BotId } from '../base/ids.ts';
import { botFromHash } from '../domain/bot-fields.ts';
import { botSearchText, compare, type ListedBot } from '../domain/listing.ts';
import { Collection, type Stored } from './collection.ts';
import { Freshness, type Change } from './freshness.ts';
import { postFromHash } from './post-store.ts';
import type { Store } from './redis.ts';

/** A bot of the copy. `link` is where its install action leads. */
export type DirectoryBot = Stored & ListedBot & { readonly id: BotId; readonly link: string };

/** A post of the copy. */
export type DirectoryPost = Stored & { readonly post: Post };

type Deps = { readonly store: Store | undefined; readonly baseUrl: string };

/** The copy. Without a store it is empty, and always fresh. */
export class Directory {
  readonly bots = new Collection<DirectoryBot>();
  readonly posts = new Collection<DirectoryPost>();
  readonly #baseUrl: string;
  readonly #freshness: Freshness;
  readonly #slugs = new Map<string, string>();
  #byInstalls: DirectoryBot[] | undefined;

  constructor({ store, baseUrl }: Deps) {
    this.#baseUrl = baseUrl;
    this.#freshness = new Freshness(store, {
      reset: () => {
        this.#reset();
      },
      apply: (change) => {
        this.#apply(change);
      },
      settle: () => {
        this.#settle();
      },
    });
  }

  /** Distinguishes one life of the store from another: with a collection's version, its identity. */
  get lineage(): string {
    return this.#freshness.lineage;
  }

  /** When that life began: nothing of the copy is dated earlier, for it may have replaced something later. */
  get beganAtMs(): number {
    return this.#freshness.beganAtMs;
  }

  /** When the copy last held all there was, by the store's clock. What changes later is dated no earlier. */
  get checkedAtMs(): number {
    return this.#freshness.checkedAtMs;
  }

  /** Whether it is all of some version of the store: not while it is read for the first time, or again. */
  get isWhole(): boolean {
    return this.#freshness.isWhole;
  }

  /** Resolves when the copy holds all that was acknowledged before the call; rejects with StoreUnreachable. */
  fresh(): Promise<void> {
    return this.#freshness.fresh();
  }

  /** The bot under a slug. */
  bySlug(slug: string): DirectoryBot | undefined {
    const id = this.#slugs.get(slug);
    return id === undefined ? undefined : this.bots.get(id);
  }

  /** The bots, fewest installs and oldest first. */
  byInstalls(): readonly DirectoryBot[] {
    const position = ({ seq, bot }: DirectoryBot) => ({ seq, installs: bot.install_count });
    return (this.#byInstalls ??= [...this.bots.entries].sort((a, b) => compare(position(a), position(b), 'installs')));
  }

  #apply({ id, hash, ...placed }: Change): void {
    if (id.startsWith('post_')) {
      const { post, changedAtMs } = postFromHash(hash);
      this.posts.put({ id, ...placed, post, changedAtMs, json: Buffer.from(JSON.stringify(post)) });
      return;
    }
    const { bot, link, changedAtMs } = botFromHash(hash, this.#baseUrl);
    this.#slugs.set(bot.slug, id);
    this.bots.put({
      ...placed,
      id: id as BotId,
      bot,
      link,
      changedAtMs,
      search: botSearchText(bot),
      json: Buffer.from(JSON.stringify(bot)),
    });
  }

  #settle(): void {
    this.bots.settle();
    this.posts.settle();
    this.#byInstalls = undefined;
  }

  #reset(): void {
    this.bots.clear();
    this.posts.clear();
    this.#slugs.clear();
    this.#byInstalls = undefined;
  }
}
