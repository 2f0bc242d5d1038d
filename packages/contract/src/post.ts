/** Showcase posts. */
import * as z from 'zod';
import { sentUrl, text } from './field.ts';

/** A social-platform status in the showcase feed. */
export const post = z
  .object({
    id: text('Saved post id, of the form post_<ULID>.', 'post_01M7YAV3PXPR9JYQYS5FWGY2KM'),
    url: text(
      'Canonical status URL, of the form https://{social_host}/<handle>/status/<status_id>.',
      'https://x.com/ada_l/status/1790000000000000001',
      { format: 'uri' },
    ),
  })
  .meta({ id: 'Post', description: 'A social-platform status in the showcase feed.' });
export type Post = z.infer<typeof post>;

/** A status to add to the feed. */
export const newPost = z.object({
  url: sentUrl(
    'Status URL, of the form https://{social_host}/<handle>/status/<status_id>.',
    'https://x.com/ada_l/status/1790000000000000001',
  ),
});
