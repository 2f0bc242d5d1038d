/** What the feeds of bots and of the showcase are made from, in both formats. */
import { headingOf } from '../pages/directory-query.ts';
import { to, type FeedPath, type ShowcaseFeedPath } from '../parts/href.ts';
import { handleOf, postName } from '../parts/words.ts';
import type { ChangedBot, DirectoryQuery, Frame, ShowcasePost } from '../views.ts';

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

/** An entry. The times are ISO 8601; `json` is its URL in the API. */
export type FeedEntry = {
  readonly id: string;
  readonly url: string;
  readonly json?: string;
  /** The URL of its picture. */
  readonly image?: string;
  readonly title: string;
  readonly text: string;
  readonly author: string | null;
  readonly publishedAt: string;
  readonly updatedAt: string;
  readonly tags: readonly string[];
};

/** A page of a feed begins at `cursor`, and the next one at `next`. */
type Place = { readonly cursor: string | undefined; readonly next: string | undefined };

const addressesOf = ({ baseUrl }: Frame, { cursor, next }: Place, at: (cursor?: string) => string) => ({
  self: to.absolute(baseUrl, at(cursor)),
  first: to.absolute(baseUrl, at()),
  next: next === undefined ? undefined : to.absolute(baseUrl, at(next)),
});

/** A page of the bots that a query selects: those that match `found`, which lacks the words `leftOut`. */
export type BotFeedView = Place & {
  readonly bots: readonly ChangedBot[];
  readonly query: DirectoryQuery;
  readonly found: string;
  readonly leftOut: readonly string[];
};

/** Makes a feed of bots, in the order of their query. */
export const botFeed = (
  frame: Frame,
  { bots, query, found, leftOut, ...place }: BotFeedView,
  path: FeedPath,
): Feed => ({
  title: `${feedTitle(frame, { ...query, q: found })}${leftOut.length === 0 ? '' : `, without ${leftOut.join(', ')}`}`,
  ...addressesOf(frame, place, (cursor) => to.feed(path, query, cursor)),
  html: to.absolute(frame.baseUrl, to.directory(query)),
  entries: bots.map((bot) => ({
    id: bot.url,
    url: bot.url,
    json: to.absolute(frame.baseUrl, to.apiBot(bot.slug)),
    image: to.absolute(frame.baseUrl, to.picture(bot.slug)),
    title: bot.name,
    text: bot.description,
    author: bot.author,
    publishedAt: bot.created_at,
    updatedAt: bot.changedAt,
    tags: [...bot.categories, ...bot.integrations.map((slug) => frame.integrationName(slug))],
  })),
});

/** A page of the showcase, newest first. */
export type PostFeedView = Place & { readonly posts: readonly ShowcasePost[] };

/** Makes a feed of posts. */
export const postFeed = (frame: Frame, { posts, ...place }: PostFeedView, path: ShowcaseFeedPath): Feed => ({
  title: showcaseFeeds(frame).title,
  ...addressesOf(frame, place, (cursor) => to.showcase(cursor, path)),
  html: to.absolute(frame.baseUrl, to.showcase()),
  entries: posts.map(({ url, addedAt, bots }) => {
    const handle = handleOf(url);
    const names = bots.map(({ name }) => name).join(' and ');
    return {
      id: url,
      url,
      title: names === '' ? postName(url) : `${handle === undefined ? 'A post' : `@${handle}`} shows ${names}`,
      text: bots.map(({ name, url: address }) => `${name}: ${address}`).join('\n'),
      author: handle === undefined ? null : `@${handle}`,
      publishedAt: addedAt,
      updatedAt: addedAt,
      tags: [],
    };
  }),
});

const feedTitle = (frame: Frame, query: DirectoryQuery): string =>
  `${frame.name}: ${headingOf(query, frame.integrationName)}`;
