/** Showcase posts in the store. */
import type { Post } from '@bot-directory/contract';
import type { PostId } from '../../base/ids.ts';
import { markIfKnown } from '../client-mark.ts';
import { keys, lists } from '../keys.ts';
import { scanFromNewest, type Store } from '../../redis/redis.ts';

/** A post that is about to be added. */
export type PostDraft = {
  readonly id: PostId;
  readonly statusId: string;
  readonly url: string;
  readonly client?: string;
};

/** A post as the operator sees it, in any state. */
export type OperatorPost = {
  readonly id: PostId;
  readonly url: string;
  readonly state: PostState;
  readonly reason: string;
  readonly changedAtMs: number;
  readonly client: string;
};

/** Whether a post is in the feed, or why it is not. */
export const postStates = ['listed', 'hidden', 'removed'] as const;
export type PostState = (typeof postStates)[number];

export type PostStore = ReturnType<typeof createPostStore>;
export type OperatorPosts = ReturnType<typeof operatorPosts>;

const idOfStatus = async (store: Store, statusId: string): Promise<PostId | undefined> =>
  ((await store.call((redis) => redis.hget(keys.statuses, statusId))) ?? undefined) as PostId | undefined;

/** Posts as the operator reads them, from the store itself. */
export const operatorPosts = (store: Store) => {
  const read = async (id: PostId): Promise<OperatorPost | undefined> => {
    const fields = await store.call((redis) => redis.hgetall(keys.post(id)));
    if (fields.id !== id) return undefined;
    return {
      id,
      url: fields.url ?? '',
      state: postStates.find((state) => state === fields.state) ?? 'listed',
      reason: fields.reason ?? '',
      changedAtMs: Number(fields.changed_at),
      client: fields.client ?? '',
    };
  };
  return {
    read,
    /** The post of a status, if there is one. */
    idOfStatus: (statusId: string): Promise<PostId | undefined> => idOfStatus(store, statusId),
    /** All posts, newest first: the listed ones, then the others. */
    scan: async function* (): AsyncGenerator<OperatorPost> {
      for (const key of lists.post)
        for await (const page of scanFromNewest(store, key))
          for (const post of await Promise.all(page.map(({ member }) => read(member as PostId))))
            if (post !== undefined) yield post;
    },
  };
};

/** The result of adding a post; `closed` and `outdated` as for a bot. */
export type PostAddition =
  | { readonly outcome: 'added' | 'exists'; readonly post: Post }
  | { readonly outcome: 'closed' }
  | { readonly outcome: 'outdated' };

/** The showcase feed. */
export const createPostStore = (store: Store) => ({
  /** The post of a status in any state, if there is one. */
  ofStatus: async (statusId: string): Promise<(Post & { readonly id: PostId }) | undefined> => {
    const id = await idOfStatus(store, statusId);
    const url = id && (await store.call((redis) => redis.hget(keys.post(id), 'url')));
    return id && url ? { id, url } : undefined;
  },

  /** Adds a post that was checked against these blocks; one status is one post. */
  add: async (draft: PostDraft, blocksVersion: number): Promise<PostAddition> => {
    const reply = await store.script(
      'add-post',
      [keys.state, keys.statuses, keys.post(draft.id), keys.posts, keys.changes],
      [draft.id, draft.statusId, draft.url, blocksVersion, (await markIfKnown(store, draft.client)) ?? ''],
    );
    const [outcome, id = '', url] = reply as [PostAddition['outcome'], string?, (string | null)?];
    // A removed post has no URL any more.
    return outcome === 'closed' || outcome === 'outdated'
      ? { outcome }
      : { outcome, post: { id, url: url ?? draft.url } };
  },
});

/** A post as `directory.ts` reads it. */
export type StoredPost = { readonly post: Post; readonly changedAtMs: number };

/** The fields of a post's hash that the copy of the directory reads. */
export const postHashFields: readonly string[] = ['id', 'url', 'changed_at'];

/** Parses a post's hash. */
export const postFromHash = (hash: Pick<ReadonlyMap<string, string>, 'get'>): StoredPost => ({
  post: { id: hash.get('id') ?? '', url: hash.get('url') ?? '' },
  changedAtMs: Number(hash.get('changed_at') ?? 0),
});
