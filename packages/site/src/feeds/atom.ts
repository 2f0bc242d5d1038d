/** A feed as Atom (RFC 4287). Titles and texts are plain text, so readers find no markup in them. */
import type { Frame } from '../views.ts';
import type { Feed, FeedEntry } from './feed.ts';
import { xml } from './xml.ts';

/** Writes the feed, in its order. */
export const atom = (frame: Frame, { title, self, first, next, html, entries }: Feed): string => {
  const link = (rel: string, href: string): string =>
    `<link rel="${rel}" type="application/atom+xml" href="${xml(href)}"/>`;
  const updated = entries.map(({ updatedAt }) => updatedAt).reduce((a, b) => (a > b ? a : b), unknownTime);
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<title type="text">${xml(title)}</title>
<subtitle type="text">${xml(frame.description)}</subtitle>
<id>${xml(first)}</id>
<updated>${updated}</updated>
${link('self', self)}${next === undefined ? '' : `\n${link('next', next)}`}
<link rel="alternate" type="text/html" href="${xml(html)}"/>
<generator>Bot Directory</generator>
${entries.map((one) => entry(frame, one)).join('\n')}
</feed>
`;
};

const unknownTime = '1970-01-01T00:00:00.000Z';

const entry = (
  frame: Frame,
  { id, url, json, title, text, author, publishedAt, updatedAt, tags }: FeedEntry,
): string => `<entry>
<title type="text">${xml(title)}</title>
<id>${xml(id)}</id>
<link rel="alternate" type="text/html" href="${xml(url)}"/>
${json === undefined ? '' : `<link rel="alternate" type="application/json" href="${xml(json)}"/>\n`}<published>${publishedAt}</published>
<updated>${updatedAt}</updated>
<author><name>${xml(author ?? frame.name)}</name></author>
${text === '' ? '' : `<summary type="text">${xml(text)}</summary>\n`}${tags.map((term) => `<category term="${xml(term)}"/>`).join('')}
</entry>`;
