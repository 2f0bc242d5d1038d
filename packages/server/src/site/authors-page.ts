/** All authors as a page, and the numbers of one of them. */
import { setImmediate as immediately } from 'node:timers/promises';
import { limits, type Bot } from '@bot-directory/contract';
import type { AuthorTile, DirectoryView } from '@bot-directory/site';
import { displayText } from '../domain/display-text.ts';
import type { ResourceRoute } from '../reads/resource.ts';
import { sendablePage, type Site } from './site.ts';

type Bots = Site['directory']['bots'];

const pageSize = 60;
/** How many authors are counted before others get their turn. */
const sliceSize = 1_000;

type Author = Omit<AuthorTile, 'author'> & { readonly handle: string; readonly first: number };

/** The authors at a version of the bots, and these as they were then. */
type Ranked = { readonly version: number; readonly segments: Bots['segments']; readonly authors: Promise<Author[]> };

/** Each page needs all authors, most installed first, so they are ranked once for a version. */
const ranked = new WeakMap<Bots, Ranked>();

const rankedOf = (bots: Bots): Ranked => {
  const known = ranked.get(bots);
  if (known?.version === bots.version) return known;
  const { version, segments } = bots;
  const now = { version, segments, authors: rank(bots) };
  ranked.set(bots, now);
  return now;
};

const rank = async (bots: Bots): Promise<Author[]> => {
  const listed = bots.listed();
  const authors: Author[] = [];
  for (const [i, handle] of bots.index.authors().entries()) {
    if (i % sliceSize === sliceSize - 1) await immediately();
    const { first, ...numbers } = bots.index.madeBy(handle, listed);
    if (first !== undefined) authors.push({ handle, first, ...numbers });
  }
  return authors.sort((a, b) => b.installs - a.installs || b.bots - a.bots || (a.handle < b.handle ? -1 : 1));
};

/** Authors in pages: all, or those whose handles have what was searched for. It ignores what it doesn’t understand. */
export const authorsPage: ResourceRoute<Site> = {
  path: '/authors',
  find: (site, { search }) => {
    const sent = new URLSearchParams(search);
    const q = displayText(sent.get('q') ?? '', limits.queryLength);
    const from = /^\d{1,7}$/.test(sent.get('cursor') ?? '') ? Number(sent.get('cursor')) : 0;
    return {
      query: [q, from],
      freshness: { of: 'directory', state: () => site.directory.bots },
      make: async () => {
        const { segments, authors } = rankedOf(site.directory.bots);
        const wanted = q.toLowerCase().replace(/^@/, '');
        const found = (await authors).filter(({ handle }) => handle.includes(wanted, 1));
        const before = from < found.length ? from : 0;
        const next = before + pageSize;
        return sendablePage(site, {
          page: 'authors',
          q,
          isFirstPage: before === 0,
          before,
          previous: before > pageSize ? String(before - pageSize) : undefined,
          next: next < found.length ? String(next) : undefined,
          total: found.length,
          authors: found.slice(before, next).map(({ handle, first, ...numbers }) => ({
            ...numbers,
            author: (segments.parsed(first) as Bot).author ?? handle,
          })),
        });
      },
    };
  },
};

/** The numbers of an author, who has bots. */
export const numbersOf = ({ directory: { bots, posts } }: Site, author: string): DirectoryView['author'] => {
  const { first, ...numbers } = bots.index.madeBy(author, bots.listed());
  if (first === undefined) return undefined;
  const { author: written, created_at: since } = bots.bot(first);
  return { ...numbers, author: written ?? author, posts: posts.countBy(author), since };
};
