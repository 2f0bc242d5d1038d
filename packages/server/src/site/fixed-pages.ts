/** Pages that depend on settings only, and are served whatever happens to the store. */
import { openApi, problems } from '@bot-directory/contract';
import type { View } from '@bot-directory/site';
import type { PageRead, PageRoute, Sendable } from './page-read.ts';
import { sendablePage, type Site } from './site.ts';
import { submitPage } from './submit-form.ts';

/** The submit form, the API reference, the pages of error codes, and the about page. */
export const fixedPages = (site: Site): PageRoute => {
  const { frame } = site;
  const fixed = (key: string, make: () => Sendable): PageRead => ({ key, state: undefined, make });
  const view = (of: View) => (): Sendable => sendablePage(site, of);
  const codes = Object.entries(problems).map(([code, problem]) => ({ code, ...problem }));
  const docs = (): View => ({ page: 'docs', document: openApi(frame.baseUrl), problems: codes });
  const byPath = new Map<string, PageRead>([
    ['/submit', fixed('submit', () => submitPage(site))],
    ['/docs', fixed('docs', () => sendablePage(site, docs()))],
    ['/about', fixed('about', view({ page: 'about' }))],
    ...codes.map((problem): [string, PageRead] => [
      `/problems/${problem.code}`,
      fixed(`problem ${problem.code}`, view({ page: 'problem', problem })),
    ]),
  ]);
  return (path) => byPath.get(path);
};
