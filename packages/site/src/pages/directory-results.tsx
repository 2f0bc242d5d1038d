/** The results: a bar with the order, the active filters, cards and pages; or what to do if there are none. */
import { Cards } from '../parts/card.tsx';
import { everything, to } from '../parts/href.ts';
import { Icon } from '../parts/icon.tsx';
import { Pager } from '../parts/pager.tsx';
import { Snippet } from '../parts/snippet.tsx';
import { count, number } from '../parts/words.ts';
import type { DirectoryQuery, DirectoryView, Frame } from '../views.ts';
import { headingOf, isFiltered, isHome, sorts, sortWords } from './directory-query.ts';

/** How many categories an empty result suggests. */
const suggestedCategories = 6;

/** The results of a directory that has bots. */
export const Results = ({ view }: { view: DirectoryView }) => {
  const { query, bots, total, next, isFirstPage } = view;
  return (
    <>
      <div class="bar">
        <h2 id="results-title">
          <Heading query={query} />
        </h2>
        <p class="bar-count" data-result-count>
          {count(total, 'bot')}
        </p>
        {isHome(view) && <p class="bar-news" role="status" data-news />}
        {total > 1 && <SortLinks query={query} />}
      </div>
      <ActiveFilters query={query} />
      {bots.length === 0 ? <NoResult view={view} /> : <Cards bots={bots} />}
      {bots.length > 0 && next === undefined && (total > bots.length || !isFirstPage) && (
        <p class="fine last">{total === 1 ? 'That is the only one.' : `That is all ${number(total)}.`}</p>
      )}
      <Pager
        older={sortWords[query.sort].older}
        next={next === undefined ? undefined : to.directory(query, next)}
        newest={sortWords[query.sort].back}
        first={isFirstPage ? undefined : to.directory(query)}
      />
    </>
  );
};

/** The same, with outside text isolated. */
const Heading = ({ query }: { query: DirectoryQuery }) => {
  if (query.q === '') return <bdi>{headingOf(query)}</bdi>;
  return (
    <>
      Results for “<bdi>{query.q}</bdi>”
    </>
  );
};

const SortLinks = ({ query }: { query: DirectoryQuery }) => (
  <nav class="sort" aria-label="Order">
    <ul>
      {sorts.map((sort) => (
        <li key={sort}>
          <a
            href={to.directory({ ...query, sort })}
            {...(query.sort === sort ? { 'aria-current': 'true' as const } : {})}
          >
            {sortWords[sort].link}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

/** Each active filter as a link that removes it. */
const ActiveFilters = ({ query }: { query: DirectoryQuery }) => {
  if (!isFiltered(query)) return null;
  const { q, categories, integrations, author } = query;
  const without: [text: string, rest: DirectoryQuery][] = [
    ...(q === '' ? [] : [[q, { ...query, q: '' }] as [string, DirectoryQuery]]),
    ...categories.map((name): [string, DirectoryQuery] => [
      name,
      { ...query, categories: categories.filter((other) => other !== name) },
    ]),
    ...integrations.map((slug): [string, DirectoryQuery] => [
      slug,
      { ...query, integrations: integrations.filter((other) => other !== slug) },
    ]),
    ...(author === undefined ? [] : [[author, { ...query, author: undefined }] as [string, DirectoryQuery]]),
  ];
  return (
    <ul class="chips active">
      {without.map(([text, rest], i) => (
        <li key={`${i} ${text}`}>
          <a class="chip chip-active" href={to.directory(rest)}>
            <Icon name="x" />
            <span class="hidden">Remove </span>
            <span>
              {q !== '' && i === 0 ? '“' : ''}
              <bdi>{text}</bdi>
              {q !== '' && i === 0 ? '”' : ''}
            </span>
          </a>
        </li>
      ))}
      {without.length > 1 && (
        <li>
          <a class="chip-clear" href={to.directory({ ...everything, sort: query.sort })}>
            Clear all
          </a>
        </li>
      )}
    </ul>
  );
};

const NoResult = ({ view: { query, categories } }: { view: DirectoryView }) => {
  const largest = categories
    .filter((one) => one.count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, suggestedCategories);
  const places = [...query.categories, ...query.integrations, ...(query.author === undefined ? [] : [query.author])];
  return (
    <div class="blank">
      <h3>
        No bot matches
        {query.q !== '' && (
          <>
            {' '}
            “<bdi>{query.q}</bdi>”
          </>
        )}
        {places.length === 0 ? '' : ` in ${places.join(' + ')}`}
      </h3>
      <p>Take a filter away above, try fewer words, or look into a category:</p>
      <ul class="chips">
        {largest.map(({ name }) => (
          <li key={name}>
            <a class="chip" href={to.directory({ categories: [name] })}>
              {name}
            </a>
          </li>
        ))}
      </ul>
      <p>
        Do you have the bot that is missing? <a href="/submit">Submit it</a>.
      </p>
    </div>
  );
};

/** A directory without bots. */
export const Nothing = ({ frame }: { frame: Frame }) => (
  <div class="blank">
    <h2 id="results-title">Nothing here yet</h2>
    <p>The first bot is the one you submit. It takes a template’s link, and no account.</p>
    <p>
      <a class="button" href="/submit">
        Submit a bot
      </a>
    </p>
    <Snippet
      label="Submit with curl"
      code={`curl -sS ${frame.baseUrl}/api/bots/submit -H 'Content-Type: application/json' \\\n  -d '{"link":"https://${frame.templateHost}/bot/<template_id>"}'`}
    />
  </div>
);
