/** New bots as Atom (RFC 4287). Names and descriptions are plain text, so readers find no markup in them. */
import type { Bot } from '@bot-directory/contract';
import type { Frame } from '../views.ts';
import { feedQuery, feedTitle, type FeedView } from './feed.ts';
import { xml } from './xml.ts';

/** The feed, newest first. */
export const atom = (frame: Frame, view: FeedView): string => {
  const { bots, cursor, next } = view;
  const first = feedQuery(view, undefined);
  const link = (rel: string, of: string | undefined): string =>
    `<link rel="${rel}" type="application/atom+xml" href="${xml(`${frame.baseUrl}/bots.atom${feedQuery(view, of)}`)}"/>`;
  const updated = bots[0]?.created_at ?? '1970-01-01T00:00:00.000Z';
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<title type="text">${xml(feedTitle(frame, view))}</title>
<subtitle type="text">${xml(frame.description)}</subtitle>
<id>${xml(`${frame.baseUrl}/bots.atom${first}`)}</id>
<updated>${updated}</updated>
${link('self', cursor)}${next === undefined ? '' : `\n${link('next', next)}`}
<link rel="alternate" type="text/html" href="${xml(`${frame.baseUrl}/${first}`)}"/>
<generator>Bot Directory</generator>
${bots.map((bot) => entry(frame, bot)).join('\n')}
</feed>
`;
};

const entry = (frame: Frame, bot: Bot): string => `<entry>
<title type="text">${xml(bot.name)}</title>
<id>${xml(bot.url)}</id>
<link rel="alternate" type="text/html" href="${xml(bot.url)}"/>
<link rel="alternate" type="application/json" href="${xml(`${frame.baseUrl}/api/bots/${bot.slug}`)}"/>
<published>${bot.created_at}</published>
<updated>${bot.created_at}</updated>
<author><name>${xml(bot.author ?? frame.name)}</name></author>
<summary type="text">${xml(bot.description)}</summary>
${[...bot.categories, ...bot.integrations].map((term) => `<category term="${xml(term)}"/>`).join('')}
</entry>`;
