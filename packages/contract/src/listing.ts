/** Query parameters of the lists. Paging is opt-in: without `limit`, a list is always complete. */
import * as z from 'zod';
import { includedFields, type IncludedField } from './bot.ts';
import { filter, handlePattern } from './field.ts';
import { limits } from './limits.ts';

/** Makes a parameter with one value, or several if it is repeated. */
const many = (description: string) => z.union([z.string(), z.array(z.string())]).describe(description);

/** Makes a parameter for an event id that a caller sends. */
const sentEventId = (description: string) => filter(description, { pattern: '^evt_[0-9A-Z]{26}$' });

/** Makes a parameter for a whole number in plain digits: `1e1`, `0x10`, `+1` and ` 1` are refused. */
const digits = (max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value),
    z
      .int()
      .min(1)
      .max(max)
      .meta({ examples: [20] }),
  );

/** Orders of the bot list. */
export const botSorts = ['newest', 'updated', 'trending', 'installs', 'relevance'] as const;
export type BotSort = (typeof botSorts)[number];

/** Opt-in paging. The URL of the next page is in the `Link` header (`rel="next"`). */
export const pageQuery = z.object({
  limit: digits(limits.pageSize).optional().describe('Entries per page. Without it there is no limit.'),
  cursor: filter('Where to continue, from the `Link` header. Opaque.', { pattern: '^[A-Za-z0-9_-]+$' }).optional(),
});
export type PageQuery = z.infer<typeof pageQuery>;

/** Filters of the bot list. */
export const facetQuery = z.object({
  category: many(
    'Category name. Repeat the parameter to select bots in any of several: `category=SEO&category=Marketing`.',
  ).optional(),
  integration: many(
    'Integration name or slug. Repeat the parameter to select bots with all of several: `integration=slack&integration=gmail`.',
  ).optional(),
  author: filter('Handle, with or without its `@`, such as `@ada_l`.', { pattern: handlePattern }).optional(),
  q: filter(
    `Words, each of which must begin a word of the bot, in any case and without accents; at most ${limits.queryWords}.`,
    { maxLength: limits.queryLength },
  ).optional(),
  link: filter('Template link: the bot that was made from its template.', { maxLength: limits.urlLength }).optional(),
  updated_since: filter('Bots that were added, changed or restored at or after this instant.', {
    format: 'date-time',
  }).optional(),
});

/** Filters, order and page of the bot list. */
export const botQuery = pageQuery.extend({
  ...facetQuery.shape,
  sort: z
    .enum(botSorts)
    .optional()
    .describe(
      '`newest` (the default), `updated` (last change), `trending` (installs of 7 days), `installs`, or `relevance`: how ' +
        'well name, author and integrations match `q`, then installs.',
    ),
});
export type BotQuery = z.infer<typeof botQuery>;

const included = z.enum(Object.keys(includedFields) as [IncludedField, ...IncludedField[]]);

/** What the bots of a list have in addition. */
export const includeQuery = {
  include: z
    .union([included, z.array(included)])
    .optional()
    .describe('Fields that the bots have in addition. Several are separated by commas, or the parameter is repeated.'),
};

const asInList = 'As in the list.';

/** Which events of the log to read: those of bots that matched the filter at the time of the event. */
const eventFilter = {
  category: many(asInList).optional(),
  integration: many(asInList).optional(),
  author: filter(asInList, { pattern: handlePattern }).optional(),
  q: filter(asInList, { maxLength: limits.queryLength }).optional(),
  type: many('Event type.').optional(),
};

/** Which part of the event log to read. */
export const eventQuery = z.object({
  after: sentEventId('The last event id the caller has. Without it, the oldest events are returned first.').optional(),
  limit: digits(limits.pageSize).optional().describe(`Events per response; ${limits.pageSize} by default.`),
  ...eventFilter,
});
export type EventQuery = z.infer<typeof eventQuery>;

/** Where a stream of events begins. */
export const streamQuery = z.object({
  after: sentEventId(
    'The last event id the caller has; `Last-Event-ID` takes precedence. Without either, only later events.',
  ).optional(),
  ...eventFilter,
});

/** Resumes a stream; browsers send it by themselves. */
export const streamHeaders = { 'Last-Event-ID': sentEventId('The last event id that was received.').optional() };

const foreignNames = {
  // Paging of GitHub, GitLab, Bitbucket, Stripe, Slack, X, Shopify, Google, YouTube, AWS, Azure, OData, Meta, Twilio,
  // Zendesk, HubSpot, Jira, Notion, Airtable, Mailchimp, PayPal, Box, Spotify, Reddit, Discord, Algolia, Elasticsearch,
  // Solr, WordPress, Docker and JSON:API.
  '`limit` and `cursor`': `
    p pg page pages paged pageno pagenum pagenumber pageindex pageoffset pagestart pagetoken pagecursor pagemarker pageinfo
    pageafter pagebefore pagefirst pagelast pagenext perpage pagesize pagelength pagelen pagelimit pagecount pagination
    paginationtoken paginationkey nextpage nextpagetoken nextpageid nexttoken nextcursor nextmarker nextid next previous
    previoustoken prevcursor prev offset skip skiptoken seek take top size count total rows row length len number num n
    amount quantity batch batchsize chunksize limitstart limitto limittolast max maxresults maxresultcount maxitems
    maxkeys maxrecords maxcount maxhits maxpagesize maxid minid numresults numitems resultcount itemcount rowcount
    results itemsperpage resultsperpage recordsperpage rowsperpage hitsperpage postsperpage entriesperpage hits records
    items from start startat startafter startid startindex startcursor startkey startfrom startingafter startingtoken
    startingposition exclusivestartkey cursormark cursorstart endcursor endkey end endat endbefore endingbefore to stop
    first last after afterid aftercursor before beforeid beforecursor around sinceid untilid continue continuation
    continuationtoken marker bookmark searchafter scroll scrollid usemarker includetotals range
  `,
  '`limit`': 'limit',
  '`cursor`': 'cursor',
  '`category`': 'category categories filtercategory filtercategories tag tags topic topics',
  '`integration`': 'integration integrations filterintegration filterintegrations connector connectors tool tools',
  '`author`': 'author authors filterauthor authorid handle username user creator',
  '`q`': 'q s query search searchterm searchquery term terms keyword keywords name title description text',
  '`link`': 'link links url template templates templateid templateurl templatelink sourceurl',
  '`sort`': `
    sort sortby sortorder sorting order orderby ordering orderdirection direction newest latest recent popular trending
    installs installcount mininstalls
  `,
  '`category`, `integration`, `author` or `q`': 'filter filters where',
  '`updated_since`': 'updatedsince updatedafter updatedat modifiedsince modifiedafter changedsince',
  '`updated_since`, or `/api/events?after=`, which lists what changed':
    'since until date datefrom dateto createdsince createdafter createdbefore createdat',
  '`/api/bots/{slug}`': 'slug slugs id ids',
} as const;

/** The letters of a name, by which names are compared: `pageSize`, `page_size` and `page[size]` have the same. */
export const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

/**
 * What other services call a parameter of the bot list → what to use instead. They are refused because an
 * ignored filter would return the whole directory. Our own names are included, to catch spellings such as `Category`.
 */
export const foreignBotNames: ReadonlyMap<string, string> = new Map(
  Object.entries(foreignNames).flatMap(([ours, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, ours]),
  ),
);

/** Whether a parameter selects by place or time. */
const isOfPlace = (ours: string): boolean => /`(?:limit|cursor|updated_since)`|\/api\/events/.test(ours);

const foreignTypeNames = 'type types event events eventtype eventtypes'.split(' ');

/** What the event log refuses. Instead of paging and dates, it has `after` and `limit`. */
export const foreignEventNames: ReadonlyMap<string, string> = new Map([
  ...[...foreignBotNames, ['lasteventid', '`/api/events?after=`'] as const].map(([name, ours]) =>
    isOfPlace(ours)
      ? ([name, '`after`, with the id of the last event you have, and `limit`'] as const)
      : ([name, ours] as const),
  ),
  ...foreignTypeNames.map((name) => [name, '`type`'] as const),
]);
