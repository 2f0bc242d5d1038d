/** What the feeds of bots and of the showcase are made from, in both formats. */
import type { Bot } from '@bot-directory/contract';
import { headingOf } from '../pages/directory-query.ts';
import { to, type FeedPath, type ShowcaseFeedPath } from '../parts/href.ts';
import { integrationName } from '../parts/integration.tsx';
import { handleOf } from '../parts/words.ts';
import type { DirectoryQuery, Frame, ShowcasePost } from '../views.ts';

/** The paths of a page's feeds, and what they are called. */
export type Feeds = { readonly title: string; readonly atom: string; readonly json: string };

/** The feeds of the bots that a results page selects: newest first if it has the best match first. */
export const botFeeds = (frame: Frame, page: DirectoryQuery): Feeds => {
  const query: DirectoryQuery = page.sort === 'relevance' ? { ...page, sort: 'newest' } : page;
  return {
    title: feedTitle(frame, query),
    atom: to.feed('/bots.atom', query),
    json: to.feed('/bots.json', query),
  };
};

/** The feeds of the showcase. */
export const showcaseFeeds = (frame: Frame): Feeds => ({
  title: `${frame.name}: Showcase`,
  atom: to.showcase(undefined, '/feed.atom'),
  json: to.showcase(undefined, '/feed.json'),
});

/** A page of a feed. All URLs are absolute; `first` identifies the feed. */
export type Feed = {
  readonly title: string;
  readonly self: string;
  readonly first: string;
  readonly next: string | undefined;
  /** The page with the same entries. */
  readonly html: string;
  readonly entries: readonly FeedEntry[];
};

/** An entry. `publishedAt` is ISO 8601; `json` is its URL in the API. */
export type FeedEntry = {
  readonly id: string;
  readonly url: string;
  readonly json?: string;
  readonly title: string;
  readonly text: string;
  readonly author: string | null;
  readonly publishedAt: string;
  readonly tags: readonly string[];
};

/** A page of the bots that a query selects: it begins at `cursor`, and the next one at `next`. */
export type BotFeedView = {
  readonly bots: readonly Bot[];
  readonly query: DirectoryQuery;
  readonly cursor: string | undefined;
  readonly next: string | undefined;
};

/** Makes a feed of bots, in the order of their query. */
export const botFeed = (frame: Frame, view: BotFeedView, path: FeedPath): Feed => {
  const { bots, query, cursor, next } = view;
  const page = (of?: string): string => to.absolute(frame.baseUrl, to.feed(path, query, of));
  return {
    title: feedTitle(frame, query),
    self: page(cursor),
    first: page(),
    next: next === undefined ? undefined : page(next),
    html: to.absolute(frame.baseUrl, to.directory(query)),
    entries: bots.map((bot) => ({
      id: bot.url,
      url: bot.url,
      json: to.absolute(frame.baseUrl, to.apiBot(bot.slug)),
      title: bot.name,
      text: bot.description,
      author: bot.author,
      publishedAt: bot.created_at,
      tags: [...bot.categories, ...bot.integrations.map(integrationName)],
    })),
  };
};

/** A page of the showcase, newest first. */
export type PostFeedView = {
  readonly posts: readonly ShowcasePost[];
  readonly cursor: string | undefined;
  readonly next: string | undefined;
};

/** Makes a feed of posts. */
export const postFeed = (frame: Frame, { posts, cursor, next }: PostFeedView, path: ShowcaseFeedPath): Feed => {
  const page = (of?: string): string => to.absolute(frame.baseUrl, to.showcase(of, path));
  return {
    title: showcaseFeeds(frame).title,
    self: page(cursor),
    first: page(),
    next: next === undefined ? undefined : page(next),
    html: to.absolute(frame.baseUrl, to.showcase()),
    entries: posts.map(({ url, addedAt, bots }) => {
      const author = `@${handleOf(url)}`;
      const names = bots.map(({ name }) => name);
      return {
        id: url,
        url,
        title: names.length === 0 ? `${author}’s post` : `${author} shows ${names.join(' and ')}`,
        text: bots.map(({ name, url: address }) => `${name}: ${address}`).join('\n'),
        author,
        publishedAt: addedAt,
        tags: [],
      };
    }),
  };
};

const feedTitle = (frame: Frame, query: DirectoryQuery): string => `${frame.name}: ${headingOf(query)}`;
