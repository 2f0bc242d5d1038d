/** What the home page has above its list: shelves of bots, and categories with their most installed bots. */
import type { Bot } from '@bot-directory/contract';
import type { CategoryTile, Shelf, ShelfSort, Shelves } from '@bot-directory/site';
import { botsOf } from '../directory/directory.ts';
import type { Listing } from '../directory/listing.ts';
import type { Site } from './site.ts';

type Bots = Site['directory']['bots'];

/** With fewer bots, the list shows them all at once. */
const fewestBots = 12;
/** How many bots a shelf has at most. */
const shelfSize = 6;
/** Fewer bots are not worth a row. */
const smallestShelf = 3;
/** How many categories the home page shows. */
const mostTiles = 6;
/** How many bots of a category are shown. */
const coversPerTile = 3;

const sorts: readonly ShelfSort[] = ['trending', 'installs', 'newest'];

/** A listing of all bots, newest first, but for what is given. */
export const listingOf = (some: Partial<Listing>): Listing => ({
  limit: undefined,
  after: undefined,
  sort: 'newest',
  updatedSinceMs: undefined,
  categories: [],
  integrations: [],
  author: undefined,
  words: [],
  ...some,
});

/** The shelves of the home page; `undefined` for few bots. */
export const shelvesOf = async (site: Site): Promise<Shelves | undefined> => {
  const { bots } = site.directory;
  if (bots.size < fewestBots) return undefined;
  const [categories, rows] = await Promise.all([tilesOf(site, mostTiles), rowsOf(bots)]);
  return { categories, rows };
};

/** Each bot is on the first shelf that wants it. */
const rowsOf = async (bots: Bots): Promise<Shelf[]> => {
  const isWanted: Readonly<Record<ShelfSort, (ordinal: number, bot: Bot) => boolean>> = {
    trending: (ordinal) => bots.index.unshown(ordinal).recentInstalls > 0,
    installs: (_ordinal, bot) => bot.install_count > 0,
    newest: () => true,
  };
  const taken = new Set<number>();
  const rows: Shelf[] = [];
  for (const sort of sorts) {
    const { ordinals } = await bots.select(listingOf({ limit: shelfSize + taken.size, sort }));
    const own = [...ordinals]
      .filter((one) => !taken.has(one) && isWanted[sort](one, bots.bot(one)))
      .slice(0, shelfSize);
    if (own.length < smallestShelf) continue;
    for (const one of own) taken.add(one);
    rows.push({ sort, bots: own.map((one) => bots.bot(one)) });
  }
  return rows;
};

/** The categories in use, those with most bots first. */
export const tilesOf = ({ directory: { bots }, categories }: Site, most = Infinity): Promise<CategoryTile[]> => {
  const used = bots.index.countCategories(categories).filter(({ count }) => count > 0);
  const largest = used.sort((a, b) => b.count - a.count).slice(0, most);
  return Promise.all(
    largest.map(async (category) => {
      const mostInstalled = listingOf({ limit: coversPerTile, sort: 'installs', categories: [category.name] });
      const found = await bots.select(mostInstalled);
      return { ...category, first: botsOf(found).map(({ slug, name }) => ({ slug, name })) };
    }),
  );
};
