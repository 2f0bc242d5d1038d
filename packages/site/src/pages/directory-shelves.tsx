/** The home page above the list: categories as tiles, and shelves of bots. */
import { CompactCards } from '../parts/card.tsx';
import { CategoryLink } from '../parts/chips.tsx';
import { Cover } from '../parts/cover.tsx';
import { everything, linkTo, to } from '../parts/href.ts';
import { count } from '../parts/words.ts';
import type { CategoryTile, Shelf, ShelfSort, Shelves } from '../views.ts';

const headings = {
  trending: { title: 'Trending this week', all: 'trending bots' },
  installs: { title: 'Most installed', all: 'bots, most installed first' },
  newest: { title: 'New', all: 'bots' },
} satisfies Record<ShelfSort, object>;

/** Undefined on other pages, and with few bots. */
export const HomeShelves = ({ shelves }: { shelves: Shelves | undefined }) =>
  shelves !== undefined && (
    <div class="stack shelves">
      {shelves.categories.length > 0 && (
        <section>
          <div class="bar">
            <h2>Categories</h2>
            <a class="bar-end" href="/categories">
              All categories
            </a>
          </div>
          <CategoryTiles categories={shelves.categories} level={3} />
        </section>
      )}
      {shelves.rows.map((shelf) => (
        <ShelfRow key={shelf.sort} shelf={shelf} />
      ))}
    </div>
  );

/** Categories by name and number, each with the covers of its most installed bots. */
export const CategoryTiles = ({ categories, level }: { categories: readonly CategoryTile[]; level: 2 | 3 }) => {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <ul class="cards shelf">
      {categories.map(({ name, count: bots, first }) => (
        <li key={name} class="card">
          <span class="card-head covers">
            {first.map(({ slug, name: letter }) => (
              <Cover key={slug} of={slug} name={letter} />
            ))}
          </span>
          <div>
            <Heading class="card-name">
              <CategoryLink name={name} />
            </Heading>
            <p class="card-author">{count(bots, 'bot')}</p>
          </div>
        </li>
      ))}
    </ul>
  );
};

const ShelfRow = ({ shelf: { sort, bots } }: { shelf: Shelf }) => (
  <section>
    <div class="bar">
      <h2>{headings[sort].title}</h2>
      <a
        class="bar-end"
        {...(sort === 'newest' ? { href: '#results' } : linkTo(to.directory({ ...everything, sort })))}
      >
        See all<span class="hidden"> {headings[sort].all}</span>
      </a>
    </div>
    <CompactCards bots={bots} />
  </section>
);
