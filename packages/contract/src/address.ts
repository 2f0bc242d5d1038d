/** Makes addresses from queries. Each has all parameters of its query, in one order; nothing else makes them. */
import type { BotQuery, EventQuery, includeQuery } from './listing.ts';

type Name = keyof BotQuery | keyof EventQuery | keyof typeof includeQuery;

/** The parameters in their order. One that the contract adds must be added here. */
const order = {
  q: 1,
  category: 2,
  integration: 3,
  author: 4,
  link: 5,
  type: 6,
  updated_since: 7,
  sort: 8,
  include: 9,
  limit: 10,
  after: 11,
  cursor: 12,
} satisfies Record<Name, number>;

/** The values of a query. */
export type QueryValues = { readonly [one in Name]?: string | number | readonly string[] | undefined };

/** Lists the parameters of a query. */
export const parametersOf = (query: QueryValues): [name: Name, value: string][] =>
  (Object.keys(order) as Name[]).flatMap((name) =>
    [query[name] ?? []].flat().map((value): [Name, string] => [name, String(value)]),
  );

/** Makes the address of a query at a path. What is empty is left out. */
export const addressOf = (path: string, query: QueryValues): string => {
  const search = new URLSearchParams(parametersOf(query).filter(([, value]) => value !== '')).toString();
  return search === '' ? path : `${path}?${search}`;
};
