/** Showcase posts in the store. */
import type { Post } from '@bot-directory/contract';
import type { PostId } from '../base/ids.ts';
import { keys } from './keys.ts';
import type { Store } from './redis.ts';

/** A post that is about to be added. */
export type PostDraft = {
  readonly id: PostId;
  readonly statusId: string;
  readonly url: string;
};

export type PostStore = ReturnType<typeof createPostStore>;

/** The result of adding a post; `closed` and `outdated` as for a bot. */
export type PostAddition =
  | { readonly outcome: 'added' | 'exists'; readonly post: Post }
  | { readonly outcome: 'closed' }
  | { readonly outcome: 'outdated' };

/** The showcase feed. */
export const createPostStore = (store: Store) => ({
  /** Adds a post that was checked against these blocks; one status is one post. */
  add: async (draft: PostDraft, blocksVersion: number): Promise<PostAddition> => {
    const reply = await store.script(
      'add-post',
      [keys.state, keys.statuses, keys.post(draft.id), keys.posts, keys.changes],
      [draft.id, draft.statusId, draft.url, keys.post('' as PostId), blocksVersion],
    );
    const [outcome, id = '', url = ''] = reply as [PostAddition['outcome'], string?, string?];
    return outcome === 'closed' || outcome === 'outdated' ? { outcome } : { outcome, post: { id, url } };
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
