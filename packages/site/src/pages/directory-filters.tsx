/** The filters beside the list: categories and integrations, most used first. */
import type { CategoryCount, IntegrationCount } from '@bot-directory/contract';
import { to } from '../parts/href.ts';
import { number } from '../parts/words.ts';
import type { DirectoryQuery, DirectoryView } from '../views.ts';
import { isFiltered } from './directory-query.ts';

/** How many integrations the filters show; another page lists all of them. */
const shownIntegrations = 12;
/** Closed on small screens. Counts are of the whole directory, so they are shown only while nothing is filtered. */
export const Filters = ({ view }: { view: DirectoryView }) => {
  const { query } = view;
  const withCounts = !isFiltered(query);
  const categories = view.categories.filter((one) => one.count > 0).sort((a, b) => b.count - a.count);
  const integrations = view.integrations.slice(0, shownIntegrations);
  return (
    <details class="filters" open={false}>
      <summary>Filters</summary>
      <nav aria-label="Filters">
        {categories.length > 0 && <CategoryFacet categories={categories} query={query} withCounts={withCounts} />}
        {integrations.length > 0 && (
          <IntegrationFacet integrations={integrations} query={query} withCounts={withCounts} />
        )}
        <a class="facet-all" href="/integrations">
          All integrations
        </a>
      </nav>
    </details>
  );
};

type FacetProps = { query: DirectoryQuery; withCounts: boolean };

const CategoryFacet = ({ categories, query, withCounts }: FacetProps & { categories: readonly CategoryCount[] }) => (
  <>
    <h2 class="facet-title">Categories</h2>
    <ul class="facet">
      {categories.map(({ name, count: bots }) => (
        <li key={name}>
          <a
            href={to.directory({ ...query, categories: [name] })}
            {...(query.categories.includes(name) ? { 'aria-current': 'true' as const } : {})}
          >
            <span>{name}</span>
            {withCounts && <Count of={bots} />}
          </a>
        </li>
      ))}
    </ul>
  </>
);

const IntegrationFacet = (props: FacetProps & { integrations: readonly IntegrationCount[] }) => {
  const { integrations, query, withCounts } = props;
  const others = (slug: string): string[] => query.integrations.filter((other) => other !== slug);
  return (
    <>
      <h2 class="facet-title">Integrations</h2>
      <ul class="facet">
        {integrations.map(({ slug, count: bots }) => (
          <li key={slug}>
            <a
              href={to.directory({ ...query, integrations: [...others(slug), slug] })}
              {...(query.integrations.includes(slug) ? { 'aria-current': 'true' as const } : {})}
            >
              <span>{slug}</span>
              {withCounts && <Count of={bots} />}
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
