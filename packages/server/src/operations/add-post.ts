/** Adds a showcase post: one status is one post. */
import * as z from 'zod';
import { newPost, type Post } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import { parseStatusUrl } from '../domain/links.ts';
import type { PostStore } from '../store/post-store.ts';
import { operation, reading, refined } from './input.ts';

type Deps = { readonly posts: PostStore; readonly ids: Ids };

/** Adds a status to the feed. Failure: post_exists. */
export const addPost = operation({
  input: ({ social }) => refined(newPost, { url: reading(z.string(), (raw) => parseStatusUrl(raw, social)) }),
  run: async ({ posts, ids }: Deps, { url: { statusId, url } }): Promise<Post> => {
    const { outcome, post } = await posts.add({ id: ids.post(), statusId, url });
    if (outcome === 'exists') throw new Failure('post_exists', 'This post is already in the feed.', post);
    return post;
  },
});
