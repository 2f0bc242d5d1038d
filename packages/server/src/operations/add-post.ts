/** Adds a showcase post: one status is one post. */
import type { Post } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import type { StatusUrl } from '../domain/social-post.ts';
import type { PostStore } from '../store/post-store.ts';

type Deps = { readonly posts: PostStore; readonly ids: Ids };

/** Adds a status to the feed. Failure: post_exists. */
export const addPost = async ({ posts, ids }: Deps, { statusId, url }: StatusUrl): Promise<Post> => {
  const { outcome, post } = await posts.add({ id: ids.post(), statusId, url });
  if (outcome === 'exists') throw new Failure('post_exists', 'This post is in the feed already.', post);
  return post;
};
