/** What the peers have that do the same work as the directory: the list in memory, and a histogram of durations. */
import type { Bot } from '@bot-directory/contract';
import { Histogram } from 'prom-client';
import type { PeerOptions } from './check.ts';

/** `baseUrl`: of the directory whose list it serves. */
export type BuiltOptions = PeerOptions & { readonly baseUrl: string };

export type BuiltCalls = { readonly start: (options: BuiltOptions) => Promise<number> };

/** Reads the whole list. */
export const readList = async ({ baseUrl }: BuiltOptions): Promise<readonly Bot[]> =>
  (await (await fetch(`${baseUrl}/api/bots`)).json()) as Bot[];

/** Of requests, by route and status, in seconds. */
export const createDurations = () =>
  new Histogram({ name: 'http_request_duration_seconds', help: 'Of requests.', labelNames: ['route', 'status'] });
