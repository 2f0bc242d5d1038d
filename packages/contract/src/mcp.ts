/** The directory for agents: the tools of its Model Context Protocol server, made of the contract's operations. */
import * as z from 'zod';
import {
  addedIntegrations,
  bot,
  categoryCount,
  integrationCount,
  mergedIntegrations,
  published,
  submission,
} from './bot.ts';
import { contract, type OperationName } from './contract.ts';
import { limits } from './limits.ts';
import { botQuery } from './listing.ts';
import { newReport, report } from './report.ts';

/** Where it is served, over streamable HTTP without sessions. */
export const mcpPath = '/mcp';

const { slug } = contract.getBot.pathParams.shape;

/**
 * Name of a tool → its operation, whose summary and description it has unless it has a
 * description of its own; what it takes, in one object; and what it
 * returns as structured content. Lists are members of an object, because structured content is one.
 */
export const mcpTools = {
  search_bots: {
    operation: 'listBots',
    description: 'Bots that match, the best match first if `q` is sent, else the newest. Without a filter, all bots.',
    input: botQuery.extend({
      category: botQuery.shape.category.describe('Category names; bots in any of them.'),
      integration: botQuery.shape.integration.describe('Integration names or slugs; bots with all of them.'),
      limit: z.int().min(1).max(limits.mcpPageSize).default(limits.mcpDefaultPageSize).describe('Bots per page.'),
      cursor: botQuery.shape.cursor.describe('`next_cursor` of the page before.'),
    }),
    output: z.object({
      bots: z.array(bot),
      total: z.int().describe('How many bots match, on all pages.'),
      next_cursor: z.string().optional().describe('Where the next page begins. Absent on the last page.'),
    }),
  },
  get_bot: { operation: 'getBot', input: z.object({ slug }), output: bot },
  list_categories: {
    operation: 'listCategories',
    input: z.object({}),
    output: z.object({ categories: z.array(categoryCount) }),
  },
  list_integrations: {
    operation: 'listIntegrations',
    input: z.object({}),
    output: z.object({ integrations: z.array(integrationCount) }),
  },
  submit_bot: { operation: 'submitBot', input: submission.omit({ name: true, description: true }), output: published },
  add_integrations: {
    operation: 'addIntegrations',
    input: addedIntegrations.extend({ slug }),
    output: mergedIntegrations,
  },
  report_bot: { operation: 'reportBot', input: newReport.extend({ slug }), output: report },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly operation: OperationName;
      readonly description?: string;
      readonly input: z.ZodObject;
      readonly output: z.ZodObject;
    }
  >
>;
/** The name of a tool. */
export type McpTool = keyof typeof mcpTools;
