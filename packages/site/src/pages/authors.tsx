/** Every author who has bots, most installed first, in pages; or those that a search finds. */
import { Face } from '../parts/cover.tsx';
import { SearchInput } from '../parts/field.tsx';
import { to } from '../parts/href.ts';
import { Layout } from '../parts/layout.tsx';
import { Pager, rangeOf } from '../parts/pager.tsx';
import { count } from '../parts/words.ts';
import type { AuthorTile, AuthorsView, Frame } from '../views.ts';

/** The page. */
export const AuthorsPage = ({ frame, view }: { frame: Frame; view: AuthorsView }) => {
  const { q, authors, total, isFirstPage, previous, next } = view;
  const range = rangeOf({ ...view, shown: authors.length });
  return (
    <Layout
      frame={frame}
      title={isFirstPage || range === undefined ? 'Authors' : `Authors, ${range}`}
      description="Who made the bots in this directory, most installed first."
      path={isFirstPage && q === '' ? '/authors' : undefined}
      section="directory"
    >
      <div class="stack">
        <div class="text">
          <h1>Authors</h1>
          <p class="lede">Who made the bots here, most installed first.</p>
        </div>
        <form class="search" role="search" action="/authors" method="get">
          <SearchInput value={q} label="Search authors" placeholder="Whose bots?" />
          <button class="button" type="submit">
            Search
          </button>
        </form>
        <div>
          <p class="bar bar-count">{range === undefined ? count(total, 'author') : `${range} authors`}</p>
          {total === 0 && q !== '' && (
            <p class="blank">
              <a href="/authors">All authors</a>
            </p>
          )}
          <ol class="cards shelf">
            {authors.map((one) => (
              <Author key={one.author} of={one} />
            ))}
          </ol>
          <Pager
            previous={isFirstPage ? undefined : to.authors(q, previous)}
            next={next === undefined ? undefined : to.authors(q, next)}
          />
        </div>
      </div>
    </Layout>
  );
};

const Author = ({ of: { author, bots, installs } }: { of: AuthorTile }) => (
  <li class="card">
    <Face of={author} />
    <div>
      <h2 class="card-name">
        <a href={to.directory({ author })} dir="auto">
          {author}
        </a>
      </h2>
      <p class="card-author">
        {count(bots, 'bot')}
        {installs > 0 && ` · ${count(installs, 'install')}`}
      </p>
    </div>
  </li>
);
