/** New bots as JSON Feed 1.1 (https://jsonfeed.org/version/1.1). */
import type { Frame } from '../views.ts';
import { feedQuery, feedTitle, type FeedView } from './feed.ts';

/** The feed, newest first. */
export const jsonFeed = (frame: Frame, view: FeedView): string => {
  const { bots, cursor, next } = view;
  const addressOf = (of: string | undefined): string => `${frame.baseUrl}/bots.json${feedQuery(view, of)}`;
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: feedTitle(frame, view),
    description: frame.description,
    home_page_url: `${frame.baseUrl}/${feedQuery(view, undefined)}`,
    feed_url: addressOf(cursor),
    ...(next === undefined ? {} : { next_url: addressOf(next) }),
    language: 'en',
    items: bots.map((bot) => ({
      id: bot.url,
      url: bot.url,
      title: bot.name,
      content_text: bot.description,
      date_published: bot.created_at,
      ...(bot.author === null ? {} : { authors: [{ name: bot.author }] }),
      tags: [...bot.categories, ...bot.integrations],
    })),
  });
};
