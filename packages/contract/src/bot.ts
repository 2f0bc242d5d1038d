/** Bots: what the list holds, what a caller submits, and merges of integrations. */
import * as z from 'zod';
import { limits } from './limits.ts';

/** A published bot. Also the `data` of `bot.created`. New fields may be added. */
export const bot = z
  .object({
    id: z.string().describe('Directory id, shaped bot_<ULID>.'),
    slug: z.string().describe('URL slug. Never changes and is never handed out again.'),
    name: z.string().describe('Display name taken from the template provider.'),
    description: z.string().describe('Short summary taken from the template provider.'),
    author: z.string().nullable().describe('Social-platform handle such as `@handle`, or null.'),
    url: z.string().describe('Directory page, shaped {base_url}/bots/<slug>.'),
    source_url: z.string().nullable().describe('Social-platform status URL, or null.'),
    integrations: z.array(z.string()).describe('Integration slugs used by the bot.'),
    categories: z.array(z.string()).describe(`Directory categories; at most ${limits.categoriesPerBot}.`),
    install_count: z.int().describe("Times the bot was added through the site's install action."),
    created_at: z.string().describe('When the bot was added: ISO 8601, UTC, with milliseconds.'),
  })
  .meta({ id: 'Bot', description: 'A published bot.' });
export type Bot = z.infer<typeof bot>;

const fetched = z.never({ error: 'The service fetches this from the template provider; do not send it.' }).optional();

/** What a caller submits. `name` and `description` are refused; other unknown keys are ignored. */
export const submission = z.object({
  link: z.string().describe('Template URL, shaped https://{template_host}/bot/<template_id>.'),
  source_url: z.string().optional().describe('Social-platform status URL.'),
  author: z.string().optional().describe('Social-platform handle, with or without its `@`.'),
  integrations: z
    .array(z.string())
    .optional()
    .describe(
      `Names or slugs, at most ${limits.integrationsPerBot}. When omitted, those that the template provider names are used; [] means none.`,
    ),
  categories: z.array(z.string()).optional().describe(`Up to ${limits.categoriesPerBot} category names, in any case.`),
  name: fetched,
  description: fetched,
});
export type Submission = z.input<typeof submission>;

/** A bot that left the directory, in the event that says so. */
export const withdrawnBot = bot.pick({ id: true, slug: true }).extend({
  reason: z.string().nullable().describe('Why the operator removed it, or null for a bot that is hidden for now.'),
});

/** Where a bot was published. */
export const published = z
  .object({
    slug: z.string(),
    url: z.string().describe('Directory path, shaped /bots/<slug>.'),
    pending: z.boolean().optional().describe('True where the operator approves each bot before it is listed.'),
  })
  .meta({ id: 'PublishedBot', description: 'Where a bot was published.' });
export type Published = z.infer<typeof published>;

/** Integrations to add to a bot. */
export const addedIntegrations = z.object({
  integrations: z.array(z.string()).describe('Names or slugs to add. Those already on the bot are skipped.'),
});

/** A bot's integrations after a merge. */
export const mergedIntegrations = z
  .object({
    slug: z.string(),
    url: z.string().describe('Directory path, shaped /bots/<slug>.'),
    integrations: z.array(z.string()).describe('All integration slugs on the bot, in no promised order.'),
  })
  .meta({ id: 'MergedIntegrations', description: "A bot's integrations after a merge." });
export type MergedIntegrations = z.infer<typeof mergedIntegrations>;

/** A category and how many bots are in it. */
export const categoryCount = z
  .object({ name: z.string(), count: z.int() })
  .meta({ id: 'CategoryCount', description: 'A category and how many bots are in it.' });
export type CategoryCount = z.infer<typeof categoryCount>;

/** An integration in use and how many bots use it. */
export const integrationCount = z
  .object({ slug: z.string(), count: z.int() })
  .meta({ id: 'IntegrationCount', description: 'An integration in use and how many bots use it.' });
export type IntegrationCount = z.infer<typeof integrationCount>;
