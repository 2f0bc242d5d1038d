/** Query parameters of the lists. Paging is opt-in: without `limit` a list is whole, for ever. */
import * as z from 'zod';
import { limits } from './limits.ts';

const many = z.union([z.string(), z.array(z.string())]);

/** A whole number in plain digits: `1e1`, `0x10`, `+1` and ` 1` are refused. */
const digits = (max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value),
    z.int().min(1).max(max),
  );

/** Orders of the bot list. */
export const botSorts = ['newest', 'installs'] as const;

/** Opt-in paging. The next page's address is in the `Link` header (`rel="next"`). */
export const pageQuery = z.object({
  limit: digits(limits.pageSize).optional().describe('Entries per page. Without it there is no limit.'),
  cursor: z.string().optional().describe('Where to go on, from the `Link` header. Opaque.'),
});
export type PageQuery = z.infer<typeof pageQuery>;

/** Filters, order and page of the bot list. */
export const botQuery = pageQuery.extend({
  category: many.optional().describe('Category names; several mean any of them.'),
  integration: many.optional().describe('Integration names or slugs; several mean all of them.'),
  author: z.string().optional().describe('Handle, with or without its `@`.'),
  q: z
    .string()
    .max(limits.queryLength)
    .optional()
    .describe('Words that must all begin a word of the bot, in any case and without accents.'),
  sort: z.enum(botSorts).optional().describe('`newest` (the default) or `installs`.'),
});
export type BotQuery = z.infer<typeof botQuery>;

/** Where to read the event log. */
export const eventQuery = z.object({
  after: z.string().optional().describe('The last event id the caller has. Without it, from the oldest that is kept.'),
  limit: digits(limits.pageSize).optional().describe(`Events per answer; ${limits.pageSize} unless given.`),
});
export type EventQuery = z.infer<typeof eventQuery>;

/** Where a stream of events begins. */
export const streamQuery = z.object({
  after: z
    .string()
    .optional()
    .describe(
      'The last event id the caller has; `Last-Event-ID` wins. Without either, the stream starts at the present.',
    ),
});

/** Paging names of other services: refused, so that nobody takes the whole list for a page. */
export const foreignPagingNames = [
  'page',
  'per_page',
  'page_size',
  'pagesize',
  'offset',
  'skip',
  'size',
  'from',
  'start',
  'after_id',
  'before',
] as const;
