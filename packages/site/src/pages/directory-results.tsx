/** The results: a bar with the order, the active filters, cards and pages; or what to do if there are none. */
import { Cards } from '../parts/card.tsx';
import { Face } from '../parts/cover.tsx';
import { Follow } from '../parts/follow.tsx';
import { everything, linkTo, to } from '../parts/href.ts';
import { Icon } from '../parts/icon.tsx';
import { useNames } from '../parts/names.ts';
import { Outside } from '../parts/outside.tsx';
import { Pager, rangeOf } from '../parts/pager.tsx';
import { Snippet } from '../parts/snippet.tsx';
import { When } from '../parts/when.tsx';
import { count, time } from '../parts/words.ts';
import type { DirectoryQuery, DirectoryView, Frame, UnknownName } from '../views.ts';
import { OpenFilters } from './directory-filters.tsx';
import { headingOf, isFiltered, isHome, sortsOf, sortWords } from './directory-query.ts';

/** The results of a directory that has bots. */
export const Results = ({ frame, view }: { frame: Frame; view: DirectoryView }) => {
  const { query, bots, total, before, isFirstPage } = view;
  const range = rangeOf({ before, shown: bots.length, total });
  const Title = isHome(view) ? 'h2' : 'h1';
  return (
    <>
      {view.author !== undefined && <AuthorHead frame={frame} author={view.author} />}
      <div class="bar">
        {view.author === undefined && (
          <Title id="results-title">{view.shelves === undefined ? <Heading query={query} /> : 'All bots'}</Title>
        )}
        <p class="bar-count" data-result-count>
          {range === undefined ? count(total, 'bot') : `${range} bots`}
        </p>
        {isHome(view) && <p class="bar-news" role="status" data-news />}
        {total > 0 && <Follow query={query} />}
        {total > 0 && <OpenFilters />}
        {total > 1 && <SortLinks view={view} />}
      </div>
      <ActiveFilters query={query} />
      <Forgiven view={view} />
      {bots.length === 0 ? <NoResult view={view} /> : <Cards bots={bots} level={isHome(view) ? 3 : 2} />}
      <Pager
        previous={isFirstPage ? undefined : to.directory(query, view.previous)}
        next={view.next === undefined ? undefined : to.directory(query, view.next)}
      />
    </>
  );
};

/** Who an author is here. */
const AuthorHead = ({ frame, author: one }: { frame: Frame; author: NonNullable<DirectoryView['author']> }) => {
  const { author, bots, installs, posts, since } = one;
  const numbers = [count(bots, 'bot'), installs > 0 && count(installs, 'install'), posts > 0 && count(posts, 'post')];
  return (
    <div class="bot-head find">
      <Face of={author} isBig />
      <div>
        <h1 id="results-title" dir="auto">
          {author}
        </h1>
        <p class="byline">
          {numbers.filter(Boolean).join(' · ')} · since <When at={since} />
        </p>
        <p class="byline">
          <Outside url={to.profile(frame.socialHost, author)}>
            <bdi>{author}</bdi> on {frame.socialHost}
          </Outside>
        </p>
      </div>
    </div>
  );
};

/** The heading of a query, with outside text isolated. */
const Heading = ({ query }: { query: DirectoryQuery }) => {
  const nameOf = useNames();
  if (query.q === '') return <bdi>{headingOf(query, nameOf)}</bdi>;
  return (
    <>
      Results for “<bdi>{query.q}</bdi>”
    </>
  );
};

const SortLinks = ({ view }: { view: DirectoryView }) => (
  <nav class="sort" aria-label="Order">
    <ul>
      {sortsOf(view).map((sort) => (
        <li key={sort}>
          <a
            {...linkTo(to.directory({ ...view.query, sort }))}
            {...(view.query.sort === sort ? { 'aria-current': 'true' as const } : {})}
          >
            {sortWords[sort].link}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

/** Says that a typing error was forgiven, or may have been made, and which words were left out. */
const Forgiven = ({ view: { query, typed, leftOut, suggestion } }: { view: DirectoryView }) => {
  if (leftOut.length > 0)
    return (
      <p class="active">
        {leftOut.length === 1 ? 'One word is' : 'Some words are'} left out: <bdi>{leftOut.join(', ')}</bdi>
      </p>
    );
  if (typed !== query.q)
    return (
      <p class="active">
        No bots match “<bdi>{typed}</bdi>”. These match “<bdi>{query.q}</bdi>”.
      </p>
    );
  if (suggestion === undefined) return null;
  const { q, total } = suggestion;
  return (
    <p class="active">
      Did you mean{' '}
      <a {...linkTo(to.directory({ ...query, q }))}>
        <bdi>{q}</bdi>
      </a>
      ? {count(total, 'bot')}
    </p>
  );
};

/** Each active filter as a link that removes it. */
const ActiveFilters = ({ query }: { query: DirectoryQuery }) => {
  const nameOf = useNames();
  if (!isFiltered(query)) return null;
  const { q, categories, integrations, author, updatedSince } = query;
  const without: [text: string, rest: DirectoryQuery][] = [
    ...(q === '' ? [] : [[q, { ...query, q: '' }] as [string, DirectoryQuery]]),
    ...categories.map((name): [string, DirectoryQuery] => [
      name,
      { ...query, categories: categories.filter((other) => other !== name) },
    ]),
    ...integrations.map((slug): [string, DirectoryQuery] => [
      nameOf(slug),
      { ...query, integrations: integrations.filter((other) => other !== slug) },
    ]),
    ...(author === undefined ? [] : [[author, { ...query, author: undefined }] as [string, DirectoryQuery]]),
    ...(updatedSince === undefined
      ? []
      : [[`since ${time(updatedSince)}`, { ...query, updatedSince: undefined }] as [string, DirectoryQuery]]),
  ];
  return (
    <ul class="chips active">
      {without.map(([text, rest], i) => (
        <li key={`${i} ${text}`}>
          <a class="chip" {...linkTo(to.directory(rest))}>
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
          <a class="chip-clear" {...linkTo(to.directory({ ...everything, sort: query.sort }))}>
            Clear all
          </a>
        </li>
      )}
    </ul>
  );
};

const NoResult = ({ view }: { view: DirectoryView }) => {
  const nameOf = useNames();
  const { query, suggested, unknown } = view;
  const { categories, integrations, author } = query;
  const places = [
    ...categories,
    ...integrations.map((slug) => nameOf(slug)),
    ...(author === undefined ? [] : [author]),
  ];
  return (
    <div class="blank">
      {unknown.length > 0 ? (
        unknown.map((one) => <NotHere key={one.kind + one.name} {...one} />)
      ) : (
        <h2>
          {query.q === '' ? (
            'No bots'
          ) : (
            <>
              No bots match “<bdi>{query.q}</bdi>”
            </>
          )}
          {places.length === 0 ? '' : ` in ${places.join(' + ')}`}
        </h2>
      )}
      <p>Remove a filter, try fewer words, or browse a category:</p>
      <ul class="chips">
        {suggested.map((name) => (
          <li key={name}>
            <a class="chip" href={to.directory({ categories: [name] })}>
              {name}
            </a>
          </li>
        ))}
      </ul>
      <p>
        Know a bot that belongs here? <a href="/submit">Submit it</a>.
      </p>
    </div>
  );
};

const notHere = {
  category: 'There is no category',
  integration: 'No bot works with',
  author: 'No bots are by',
} satisfies Record<UnknownName['kind'], string>;

/** Says that a name is not here, and links those that are like it. */
const NotHere = ({ kind, name, near }: UnknownName) => {
  const nameOf = useNames();
  return (
    <>
      <h2>
        {notHere[kind]} “<bdi>{name}</bdi>”
      </h2>
      {near.length > 0 && (
        <>
          <p>Did you mean:</p>
          <ul class="chips">
            {near.map((one) => (
              <li key={one}>
                <a class="chip" href={to.directory(selecting(kind, one))}>
                  <bdi>{kind === 'integration' ? nameOf(one) : one}</bdi>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      {kind === 'integration' && (
        <p>
          <a href="/integrations">All integrations</a>
        </p>
      )}
    </>
  );
};

const selecting = (kind: UnknownName['kind'], name: string): Partial<DirectoryQuery> =>
  kind === 'author' ? { author: name } : { [kind === 'category' ? 'categories' : 'integrations']: [name] };

/** A directory without bots: how to add the first one, and what its operator does next. */
export const Nothing = ({ frame }: { frame: Frame }) => {
  if (frame.submissions === 'closed')
    return (
      <div class="blank">
        <h2 id="results-title">No bots yet</h2>
        <p>
          This directory runs without a store, so nothing can be saved. Its operator starts it with{' '}
          <code>REDIS_URL</code>.
        </p>
      </div>
    );
  return (
    <div class="blank">
      <h2 id="results-title">No bots yet</h2>
      <p>Be the first: paste a template link. No account needed.</p>
      <p>
        <a class="button" href="/submit">
          Submit a bot
        </a>
      </p>
      <h3>Do you run this directory?</h3>
      <ol>
        <li>
          Submit a bot, above or with curl:
          <Snippet
            label="Submit with curl"
            code={`curl -sS ${frame.baseUrl}/api/bots/submit -H 'Content-Type: application/json' \\\n  -d '{"link":"https://${frame.templateHost}/bot/<template_id>"}'`}
          />
        </li>
        <li>
          Give the directory its name and your contact: <code>SITE_NAME</code>, <code>SITE_DESCRIPTION</code> and{' '}
          <code>SITE_CONTACT</code>.
        </li>
        <li>
          Check that <a href="/readyz">/readyz</a> responds with 200. These steps disappear with the first bot.
        </li>
      </ol>
    </div>
  );
};
