/**
 * Takes a person out of the directory: from the bots that name them as the author, and the posts of their account. It
 * says what it will do, asks, does it, and says what is left, where, and for how long.
 */
import type { PostId } from '../base/ids.ts';
import { parseAuthor, handleOf } from '../domain/links.ts';
import { phraseMatcher } from '../domain/search.ts';
import type { OperatorPosts } from '../store/posts/post-store.ts';
import { scanWebhooks } from '../store/webhooks/queue-state.ts';
import type { Store } from '../redis/redis.ts';
import type { ReportStore } from '../store/reports/report-store.ts';
import { changeBot, type BotDeps } from './edit-bot.ts';
import { confirm, showResult, showRows, summary, valid } from './terminal.ts';

type Deps = BotDeps & { readonly store: Store; readonly reports: ReportStore; readonly posts: OperatorPosts };
type Left = { readonly what: string; readonly until: string };

/** What is said of a person. `mentions`: bots whose texts, which are the provider's, have the handle as a word. */
type Found = { readonly bots: readonly string[]; readonly posts: readonly PostId[]; readonly mentions: number };

export const eraseAuthor = async (deps: Deps, raw: string): Promise<void> => {
  const { moderation, terminal } = deps;
  const author = valid(parseAuthor(raw)).toLowerCase();
  const found = await find(deps, author);
  const work = `from ${summary(found.bots) || 'no bot'}, and ${found.posts.length} posts`;
  if (found.bots.length + found.posts.length > 0) await confirm(terminal, `erase ${author} ${work}?`);
  // The audit log must not name whom the command erases.
  const operator = { ...deps.operator, command: 'erase author' };
  for (const slug of found.bots) await changeBot({ ...deps, operator }, slug, (hash) => without(author, hash));
  const posts = found.posts.map((id) => ({ id }));
  await moderation.moderate('post', 'remove', posts, { operator, reason: '' });
  const left = await leftOf(deps, author, found);
  const result = { author, bots: found.bots, posts: found.posts, left };
  showResult(terminal, result, `Erased ${author} ${work}. What is left:`);
  if (!terminal.json) showRows(terminal, left, '');
};

const find = async ({ bots, posts }: Deps, author: string): Promise<Found> => {
  const found = { bots: [] as string[], posts: [] as PostId[], mentions: 0 };
  for await (const { slug, fields } of bots.scan(['listed', 'hidden', 'pending'])) {
    if (without(author, fields).length > 0) found.bots.push(slug);
    if (phraseMatcher([fields.get('name') ?? '', fields.get('description') ?? ''])(author)) found.mentions += 1;
  }
  for await (const { id, url, state } of posts.scan())
    if (state !== 'removed' && `@${handleOf(url)}` === author) found.posts.push(id);
  return found;
};

/** The fields of a bot that name an author, emptied. */
const without = (author: string, hash: ReadonlyMap<string, string>): [string, string][] => [
  ...(hash.get('author')?.toLowerCase() === author ? [['author', ''] as [string, string]] : []),
  ...(`@${handleOf(hash.get('source_url') ?? '')}` === author ? [['source_url', ''] as [string, string]] : []),
];

const leftOf = async (
  { store, moderation, reports }: Deps,
  author: string,
  { mentions }: Found,
): Promise<readonly Left[]> => {
  const named = (text: string): boolean => text.toLowerCase().includes(author.slice(1));
  const lines = (await moderation.audit(Number.MAX_SAFE_INTEGER)).filter(({ command, reason }) =>
    named(`${command} ${reason}`),
  ).length;
  const blocked = (await moderation.blocks()).some(({ kind, value }) => kind === 'author' && value === author);
  const reported = (await reports.list()).filter(({ text }) => named(text)).length;
  let filters = 0;
  for await (const { subscription } of scanWebhooks(store))
    if (subscription?.author?.toLowerCase() === author) filters += 1;
  const counted: readonly (Left & { readonly count: number })[] = [
    { count: mentions, what: 'bots whose name or description has the handle', until: 'until you remove them' },
    { count: reported, what: 'reports that name it', until: 'until you close them, at most 180 days' },
    { count: lines, what: 'lines of the audit log', until: 'until 10,000 newer ones' },
    { count: filters, what: 'filters of webhooks', until: 'until their owners change them' },
    { count: blocked ? 1 : 0, what: 'block of the author', until: 'until unblock author' },
  ];
  return [
    ...counted.flatMap(({ count, what, until }) => (count === 0 ? [] : [{ what: `${count} ${what}`, until }])),
    { what: 'backups and files of Redis from before', until: 'until you delete them; after an import, erase again' },
    { what: 'what subscribers and mirrors have copied', until: 'bot.updated tells them' },
  ];
};
