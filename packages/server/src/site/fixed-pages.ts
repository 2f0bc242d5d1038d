/** Pages that are made of settings alone: served whatever happens to the store. */
import { openApi, problems } from '@bot-directory/contract';
import type { View } from '@bot-directory/site';
import type { PageRead, PageRoute } from './page-read.ts';
import { sendablePage, type Site } from './site.ts';

/** The form that submits a bot, the reference, what codes mean, and what this is. */
export const fixedPages = (site: Site): PageRoute => {
  const { frame, categories, isOpen } = site;
  const fixed = (key: string, view: () => View): PageRead => ({
    key,
    state: undefined,
    make: () => sendablePage(site, view()),
  });
  const codes = Object.entries(problems).map(([code, problem]) => ({ code, ...problem }));
  const form = { values: {}, errors: [], problem: undefined };
  const byPath = new Map<string, PageRead>([
    ['/submit', fixed('submit', () => ({ page: 'submit', isOpen, form, existing: undefined, categories }))],
    ['/docs', fixed('docs', () => ({ page: 'docs', document: openApi(frame.baseUrl), problems: codes }))],
    ['/about', fixed('about', () => ({ page: 'about' }))],
    ...codes.map((problem): [string, PageRead] => [
      `/problems/${problem.code}`,
      fixed(`problem ${problem.code}`, () => ({ page: 'problem', problem })),
    ]),
  ]);
  return (path) => byPath.get(path);
};
