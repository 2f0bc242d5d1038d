/** The filters of the list: categories and integrations, most used first, with how many bots each would leave. */
import type { ComponentChildren } from 'preact';
import type { IntegrationCount } from '@bot-directory/contract';
import { linkTo, pageParametersOf, to } from '../parts/href.ts';
import { Icon } from '../parts/icon.tsx';
import { Integration } from '../parts/integration.tsx';
import { useNames } from '../parts/names.ts';
import { number } from '../parts/words.ts';
import type { DirectoryQuery, DirectoryView } from '../views.ts';

/** How many integrations are shown as links; the others are found by typing. */
const shownIntegrations = 12;
/** How many names the box for typing offers; another page lists all of them. */
const offeredIntegrations = 100;

/** Lists the integrations that are links, the active ones first. */
export const offered = ({ query, integrations }: DirectoryView): string[] => [
  ...query.integrations,
  ...integrations
    .map(({ slug }) => slug)
    .filter((slug) => !query.integrations.includes(slug))
    .slice(0, shownIntegrations),
];

/** Opens the filters where they are a sheet. */
export const OpenFilters = () => (
  <button class="button quiet filters-open" type="button" popovertarget="filters">
    Filters
  </button>
);

/** On small screens a sheet. Empty where nothing is left to filter. */
export const Filters = ({ view }: { view: DirectoryView }) => (
  <nav class="filters" id="filters" aria-label="Filters" popover="auto">
    {view.total > 0 && <Facets view={view} />}
  </nav>
);

const Facets = ({ view }: { view: DirectoryView }) => {
  const { query, categories, integrations } = view;
  const others = integrations.filter(({ slug }) => !query.integrations.includes(slug));
  return (
    <>
      <Facet
        title="Categories"
        facets={categories
          .filter(({ name, count }) => count > 0 || query.categories.includes(name))
          .sort((a, b) => b.count - a.count)
          .map(({ name, count }) => {
            const isActive = query.categories.includes(name);
            return { name, shown: name, count, isActive, query: { ...query, categories: isActive ? [] : [name] } };
          })}
      />
      <Facet
        title="Integrations"
        facets={[
          ...query.integrations.map((slug) => ({
            name: slug,
            shown: <Integration slug={slug} />,
            count: integrations.find((one) => one.slug === slug)?.count ?? 0,
            isActive: true,
            query: { ...query, integrations: query.integrations.filter((other) => other !== slug) },
          })),
          ...others.slice(0, shownIntegrations).map(({ slug, count }) => ({
            name: slug,
            shown: <Integration slug={slug} />,
            count,
            isActive: false,
            query: { ...query, integrations: [...query.integrations, slug] },
          })),
        ]}
      />
      {others.length > shownIntegrations && (
        <Finder query={query} integrations={others.slice(shownIntegrations, offeredIntegrations)} />
      )}
      <a class="facet-all" href="/integrations">
        All integrations
      </a>
      <button class="button filters-close" type="button" popovertarget="filters" popovertargetaction="hide">
        Close
      </button>
    </>
  );
};

/** A link in a facet. `query` is what the directory shows after a click. */
type FacetLink = {
  readonly name: string;
  readonly shown: ComponentChildren;
  readonly count: number;
  readonly isActive: boolean;
  readonly query: DirectoryQuery;
};

/** Links that set a filter, or take it away. */
const Facet = ({ title, facets }: { title: string; facets: readonly FacetLink[] }) => {
  if (facets.length === 0) return null;
  return (
    <>
      <p class="facet-title">{title}</p>
      <ul class="facet">
        {facets.map(({ name, shown, count, isActive, query }) => (
          <li key={name}>
            <a {...linkTo(to.directory(query))} {...(isActive ? { 'aria-current': 'true' as const } : {})}>
              <span>
                {isActive && <span class="hidden">Without </span>}
                {shown}
              </span>
              {isActive ? <Icon name="x" /> : <Count of={count} />}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
};

const Count = ({ of }: { of: number }) => (
  <span class="facet-count">
    {number(of)}
    <span class="hidden"> {of === 1 ? 'bot' : 'bots'}</span>
  </span>
);

/** Finds an integration that is not shown, by typing: the browser completes its name. */
const Finder = ({ query, integrations }: { query: DirectoryQuery; integrations: readonly IntegrationCount[] }) => {
  const nameOf = useNames();
  return (
    <form class="finder" action="/" method="get">
      <label class="hidden" for="finder">
        Find an integration
      </label>
      <input id="finder" name="integration" list="finder-names" placeholder="Find an integration" required />
      <datalist id="finder-names">
        {integrations.map(({ slug }) => (
          <option key={slug} value={slug} label={nameOf(slug)} />
        ))}
      </datalist>
      {pageParametersOf(query).map(([name, value]) => (
        <input key={name + value} type="hidden" name={name} value={value} />
      ))}
      <button class="hidden" type="submit">
        Find
      </button>
    </form>
  );
};
