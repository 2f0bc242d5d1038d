/** What the home page of a directory is made of, read through its API. */
import type { Bot, CategoryCount, IntegrationCount } from '@bot-directory/contract';
import { assets, type DirectoryView } from '@bot-directory/site';
import { frameOf } from '../../packages/server/src/site/site.ts';

const read = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;

/** Reads what the home page is made of. */
export const homeOf = async (baseUrl: string) => {
  const bots = await read<Bot[]>(`${baseUrl}/api/bots?limit=24`);
  const view: DirectoryView = {
    page: 'directory',
    query: { q: '', categories: [], integrations: [], author: undefined, updatedSince: undefined, sort: 'newest' },
    typed: '',
    leftOut: [],
    unknown: [],
    suggestion: undefined,
    author: undefined,
    isFirstPage: true,
    isTrending: false,
    shelves: undefined,
    before: 0,
    previous: undefined,
    bots,
    total: 1_000,
    size: 1_000,
    next: 'cursor',
    categories: await read<CategoryCount[]>(`${baseUrl}/api/categories`),
    integrations: await read<IntegrationCount[]>(`${baseUrl}/api/integrations`),
    suggested: [],
  };
  const frame = frameOf(
    {
      baseUrl,
      template: { host: 'templates.example.com', installOrigin: 'https://templates.example.com' },
      social: { host: 'x.com' },
      approveFirst: false,
      categories: [],
      site: { name: 'Bot Directory', description: 'Bots for everyone.', contact: undefined, accent: undefined },
    },
    assets,
    true,
  );
  return { view, frame };
};
