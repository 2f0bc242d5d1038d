/** What the parts of the site share. */
import type { Frame, View } from '@bot-directory/site';
import { page } from '@bot-directory/site';
import type { Directory } from '../store/directory.ts';
import { pageHeaders } from './headers.ts';
import type { PageState, Sendable } from './page-read.ts';

/** The site of one directory. `isOpen`: whether anything can be saved. */
export type Site = {
  readonly directory: Directory;
  readonly frame: Frame;
  readonly categories: readonly string[];
  readonly webhook: { readonly retryDelaysMs: readonly number[]; readonly timeoutMs: number };
  readonly isOpen: boolean;
};

/** Makes a page. `formTarget`: an origin, besides ours, to which a form on it may lead. */
export const sendablePage = ({ frame }: Pick<Site, 'frame'>, view: View, formTarget?: string): Sendable => ({
  body: page(frame, view),
  contentType: 'text/html; charset=utf-8',
  headers: pageHeaders(frame, formTarget),
});

/** The state of all bots. */
export const stateOfBots = ({ directory }: Pick<Site, 'directory'>): PageState => ({
  version: `${directory.lineage}.${directory.bots.version}`,
  changedAtMs: directory.bots.changedAtMs,
});

/** The state of all posts. */
export const stateOfPosts = ({ directory }: Pick<Site, 'directory'>): PageState => ({
  version: `${directory.lineage}.${directory.posts.version}`,
  changedAtMs: directory.posts.changedAtMs,
});
