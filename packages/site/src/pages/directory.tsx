/** The directory: search, filters, cards, pages; and what it shows when it is empty. */
import { botFeeds } from '../feeds/feed.ts';
import { shownIn } from '../parts/card.tsx';
import { SearchInput } from '../parts/field.tsx';
import { fieldsOf, to } from '../parts/href.ts';
import { Marked, Sprite } from '../parts/integration.tsx';
import { JsonLd } from '../parts/json-ld.tsx';
import { Layout } from '../parts/layout.tsx';
import { rangeOf } from '../parts/pager.tsx';
import { count } from '../parts/words.ts';
import type { DirectoryView, Frame } from '../views.ts';
import { Filters, offered } from './directory-filters.tsx';
import { HomeShelves } from './directory-shelves.tsx';
import { describe, headingOf, isFiltered, isHome } from './directory-query.ts';
import { Nothing, Results } from './directory-results.tsx';

type Props = { readonly frame: Frame; readonly view: DirectoryView };

/** The page. */
export const DirectoryPage = ({ frame, view }: Props) => (
  <Layout
    frame={frame}
    title={titleOf(frame, view)}
    path={canonicalOf(view)}
    {...(isFiltered(view.query) && view.total > 0 ? { description: describe(view, frame.integrationName) } : {})}
    section="directory"
    feeds={botFeeds(frame, view.query)}
    skip={
      <a class="skip" href="#results">
        Skip to results
      </a>
    }
    {...(isHome(view) ? { head: <HomeData frame={frame} view={view} /> } : {})}
  >
    {isHome(view) ? (
      <div class="hero">
        <h1>Find a bot that does the work</h1>
        <p class="lede">
          {view.size === 0
            ? 'Open to everyone. No account needed.'
            : `Browse ${count(view.size, 'bot')}. No account needed.`}
        </p>
        <Search view={view} />
      </div>
    ) : (
      <div class="find">
        <Search view={view} />
      </div>
    )}
    <div id="found">
      <HomeShelves shelves={view.shelves} />
      <Marked of={[...(view.total > 0 ? offered(view) : []), ...shownIn(view.bots)]}>
        <div class={view.size > 0 ? 'with-side with-filters' : 'with-side'}>
          {view.size > 0 && <Filters view={view} />}
          <section class="results" id="results" tabIndex={-1} aria-labelledby="results-title">
            <Sprite />
            {view.size === 0 ? <Nothing frame={frame} /> : <Results frame={frame} view={view} />}
          </section>
        </div>
      </Marked>
    </div>
  </Layout>
);

/** Each page of a list has a title of its own. */
const titleOf = (frame: Frame, view: DirectoryView): string => {
  if (isHome(view)) return frame.name;
  const { query, bots, isFirstPage } = view;
  const range = isFirstPage ? undefined : rangeOf({ ...view, shown: bots.length });
  return `${headingOf(query, frame.integrationName)}${range === undefined ? '' : `, ${range}`}`;
};

/** Search engines index the home page and pages of one filter; all others are marked as not to be indexed. */
const canonicalOf = ({ query, isFirstPage, total }: DirectoryView): string | undefined => {
  const filters = query.categories.length + query.integrations.length + (query.author === undefined ? 0 : 1);
  if (!isFirstPage || query.q !== '' || query.updatedSince !== undefined) return undefined;
  if (filters > 1 || (filters === 1 && total === 0)) return undefined;
  return to.directory({ ...query, sort: 'newest' });
};

/** A new search is in the order of the best match; a search that goes on keeps its order. */
const Search = ({ view: { query, typed } }: { view: DirectoryView }) => (
  <form class="search" role="search" action="/" method="get" data-search>
    <SearchInput value={typed} autocomplete="off" enterkeyhint="search" keys="/ Control+K Meta+K" />
    {fieldsOf(query).map(([name, value]) => (
      <input key={name + value} type="hidden" name={name} value={value} />
    ))}
    <button class="button" type="submit">
      Search
    </button>
    <p class="search-status hidden" role="status" data-status />
  </form>
);

const HomeData = ({ frame, view }: Props) => (
  <>
    <JsonLd
      data={{
        '@type': 'WebSite',
        name: frame.name,
        description: frame.description,
        url: `${frame.baseUrl}/`,
        potentialAction: {
          '@type': 'SearchAction',
          target: { '@type': 'EntryPoint', urlTemplate: `${frame.baseUrl}/?q={search_term_string}` },
          'query-input': 'required name=search_term_string',
        },
      }}
    />
    <JsonLd
      data={{
        '@type': 'ItemList',
        itemListElement: view.bots.map((bot, i) => ({ '@type': 'ListItem', position: i + 1, url: bot.url })),
      }}
    />
  </>
);
