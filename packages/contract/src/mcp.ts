/** The directory for agents: the tools of its Model Context Protocol server, made of the contract's operations. */
import * as z from 'zod';
import {
  addedIntegrations,
  botDetails,
  categoryCount,
  integrationCount,
  mergedIntegrations,
  published,
  submission,
} from './bot.ts';
import { contract, type OperationName } from './contract.ts';
import { sentCategory, sentIntegration } from './field.ts';
import { limits } from './limits.ts';
import { botQuery } from './listing.ts';
import { newReport, report } from './report.ts';

/** The path of the MCP server: streamable HTTP without sessions. */
export const mcpPath = '/mcp';

const { slug } = contract.getBot.pathParams.shape;

/**
 * Tool → its operation, its input as one object, and the structured content that it returns. Hosts add arguments of
 * their own, which are ignored. A tool without a description of its own has its operation's summary and description. A
 * list is a member of an object, because structured content must be an object.
 */
export const mcpTools = {
  search_bots: {
    operation: 'listBots',
    description:
      'Bots that match: best match first if `q` is sent, otherwise newest first. Without a filter, all bots.',
    input: botQuery.extend({
      category: z.array(sentCategory).optional().describe('Category names; bots in any of them.'),
      integration: z.array(sentIntegration).optional().describe('Integration names or slugs; bots with all of them.'),
      limit: z.int().min(1).max(limits.mcpPageSize).default(limits.mcpDefaultPageSize).describe('Bots per page.'),
      cursor: botQuery.shape.cursor.describe('`next_cursor` of the previous page.'),
      q: botQuery.shape.q.describe(
        `Words or a sentence; the first ${limits.queryWords} words count. If no bot has all of them, some are left out.`,
      ),
    }),
    output: z.object({
      bots: z.array(botDetails),
      total: z.int().describe('How many bots match, on all pages.'),
      next_cursor: z.string().optional().describe('Where the next page begins. Absent on the last page.'),
      corrected_q: z.string().optional().describe('What the bots match instead of `q`.'),
      left_out: z.array(z.string()).optional().describe('Words of `q` that the bots need not have.'),
      did_you_mean: z.string().optional().describe('What `q` may have meant, if few bots match it.'),
    }),
  },
  get_bot: { operation: 'getBot', input: z.object({ slug }), output: botDetails },
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
  submit_bot: {
    operation: 'submitBot',
    input: submission.omit({ name: true, description: true }),
    output: published,
  },
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
