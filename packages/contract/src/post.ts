/** Showcase posts. */
import * as z from 'zod';

/** A social-platform status in the showcase feed. */
export const post = z
  .object({
    id: z.string().describe('Saved post id, shaped post_<ULID>.'),
    url: z.string().describe('Canonical status URL, shaped https://{social_host}/<handle>/status/<status_id>.'),
  })
  .meta({ id: 'Post', description: 'A social-platform status in the showcase feed.' });
export type Post = z.infer<typeof post>;

/** A status to add to the feed. */
export const newPost = z.object({
  url: z.string().describe('Status URL, shaped https://{social_host}/<handle>/status/<status_id>.'),
});
