/** What the peers have that do the work of the directory: bots in memory, a home page, a histogram of durations. */
import type { Bot } from '@bot-directory/contract';
import { page } from '@bot-directory/site';
import { Histogram } from 'prom-client';
import { pageHeaders } from '../../packages/server/src/site/site.ts';
import type { PeerOptions } from './check.ts';
import { homeOf } from './home.ts';
import { headersObject } from './prepared.ts';

/** `baseUrl`: of the directory whose list it serves. */
export type BuiltOptions = PeerOptions & { readonly baseUrl: string };

export type BuiltCalls = { readonly start: (options: BuiltOptions) => Promise<number> };

/** Reads the whole list. */
export const readList = async ({ baseUrl }: BuiltOptions): Promise<readonly Bot[]> =>
  (await (await fetch(`${baseUrl}/api/bots`)).json()) as Bot[];

/** The home page, which is rendered for each request. */
export const readHome = async ({ baseUrl }: BuiltOptions) => {
  const { frame, view } = await homeOf(baseUrl);
  const ours = ['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'public, no-cache', ...pageHeaders()];
  return { headers: headersObject({ headers: ours }), render: () => page(frame, view) };
};

/** Of requests, by route and status, in seconds. */
export const createDurations = () =>
  new Histogram({ name: 'http_request_duration_seconds', help: 'Of requests.', labelNames: ['route', 'status'] });
