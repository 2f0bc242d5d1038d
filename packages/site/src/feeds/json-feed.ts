/** A feed as JSON Feed 1.1 (https://jsonfeed.org/version/1.1). */
import type { Frame } from '../views.ts';
import type { Feed } from './feed.ts';

/** Writes the feed, in its order. */
export const jsonFeed = (frame: Frame, { title, self, next, html, entries }: Feed): string =>
  JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    description: frame.description,
    home_page_url: html,
    feed_url: self,
    ...(next === undefined ? {} : { next_url: next }),
    language: 'en',
    items: entries.map(({ id, url, image, title: name, text, author, publishedAt, updatedAt, tags }) => ({
      id,
      url,
      title: name,
      content_text: text,
      ...(image === undefined ? {} : { image }),
      date_published: publishedAt,
      date_modified: updatedAt,
      ...(author === null ? {} : { authors: [{ name: author }] }),
      tags,
    })),
  });
