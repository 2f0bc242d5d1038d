/** Bots: entries of the list, submissions, and merges of integrations. */
import * as z from 'zod';
import {
  count,
  entries,
  handlePattern,
  instant,
  omissible,
  sentCategory,
  sentIntegration,
  sentUrl,
  text,
  textOrNull,
} from './field.ts';
import { limits } from './limits.ts';

const integrationSlug = z.string().meta({ examples: ['google-sheets'] });
const slug = text('URL slug of the bot.', 'weekly-seo-report');
const path = text('Directory path, of the form /bots/<slug>.', '/bots/weekly-seo-report');

/** A published bot. Also the `data` of `bot.created`. New fields may be added. */
export const bot = z
  .object({
    id: text('Directory id, of the form bot_<ULID>.', 'bot_01M7YAV3PXPR9JYQYS5FWGY2KM'),
    slug: text('URL slug. Never changes and is never reused.', 'weekly-seo-report'),
    name: text(
      `Display name taken from the template provider; at most ${limits.nameLength} characters.`,
      'Weekly SEO report',
    ),
    description: text(
      `Short summary taken from the template provider; at most ${limits.descriptionLength} characters.`,
      'Mails you what changed in your rankings.',
    ),
    author: textOrNull('Social-platform handle such as `@handle`, or null.', '@ada_l'),
    url: text(
      'Directory page, of the form {base_url}/bots/<slug>.',
      'https://directory.example.com/bots/weekly-seo-report',
      { format: 'uri' },
    ),
    source_url: textOrNull('Social-platform status URL, or null.', 'https://x.com/ada_l/status/1790000000000000001', {
      format: 'uri',
    }),
    integrations: z
      .array(integrationSlug)
      .describe(`Integration slugs used by the bot; at most ${limits.integrationsPerBot}.`),
    categories: z
      .array(z.string().meta({ examples: ['Marketing'] }))
      .describe(`Directory categories; at most ${limits.categoriesPerBot}.`),
    install_count: count("Times the bot was added through the site's install action.", 12),
    created_at: instant('When the bot was added: ISO 8601, UTC, with milliseconds.'),
  })
  .meta({ id: 'Bot', description: 'A published bot.' });
export type Bot = z.infer<typeof bot>;

/** What a bot has in addition where it is read alone, and in lists if `include` names it. */
export const includedFields = {
  updated_at: instant('When the bot was added, or last changed but for installs: ISO 8601, UTC, with milliseconds.'),
  template_url: text('Its template link.', 'https://bots.example.com/bot/weekly-seo-report', { format: 'uri' }),
};
export type IncludedField = keyof typeof includedFields;

/** A bot in a list. */
export const listedBot = bot.extend(z.object(includedFields).partial().shape).meta({
  id: 'ListedBot',
  description: 'A published bot, with those of its last two fields that `include` names.',
});

/** A bot with all that is known of it. */
export const botDetails = bot.extend(includedFields).meta({
  id: 'BotDetails',
  description: 'A published bot, when it changed, and where its template is.',
});
export type BotDetails = z.infer<typeof botDetails>;

const fetched = z.never({ error: 'The service fetches this from the template provider; do not send it.' }).optional();

/** The body of a submission. `name` and `description` are refused; other unknown keys are ignored. */
export const submission = z.object({
  link: sentUrl(
    'Template URL, of the form https://{template_host}/bot/<template_id>.',
    'https://bots.example.com/bot/weekly-seo-report',
  ),
  source_url: omissible(sentUrl('Social-platform status URL.', 'https://x.com/ada_l/status/1790000000000000001')),
  author: omissible(text('Social-platform handle, with or without its `@`.', '@ada_l', { pattern: handlePattern })),
  integrations: omissible(
    entries(
      sentIntegration,
      `Names or slugs, at most ${limits.integrationsPerBot} different ones. When omitted, the template provider's are ` +
        'used; [] means none.',
    ),
  ),
  categories: omissible(
    entries(sentCategory, `Up to ${limits.categoriesPerBot} different category names, in any case.`),
  ),
  dry_run: omissible(
    z.boolean().meta({
      description: 'True: check everything, publish nothing, and return the bot as `preview`.',
      examples: [false],
    }),
  ),
  name: fetched,
  description: fetched,
});
export type Submission = z.input<typeof submission>;

/** The fields of a bot that a submitter may send. */
export const submittedFields = submission.omit({ dry_run: true, name: true, description: true }).keyof().options;
export type SubmittedField = (typeof submittedFields)[number];

/** The `data` of `bot.removed`: the bot that left the directory, and why. */
export const withdrawnBot = bot.pick({ id: true, slug: true }).extend({
  reason: textOrNull(
    'Why the operator removed it; null if it is hidden for now; `template_gone` until the provider has its template ' +
      'again.',
    'It sent spam.',
  ),
});

/** A bot that a submission would publish. */
export const botPreview = bot
  .omit({ id: true })
  .meta({ id: 'BotPreview', description: 'The bot that a submission would publish now: all but its id.' });
export type BotPreview = z.infer<typeof botPreview>;

/** Where a bot was published. */
export const published = z
  .object({
    slug,
    url: path,
    pending: z
      .boolean()
      .optional()
      .meta({ description: 'True where the operator approves each bot before it is listed.', examples: [true] }),
    preview: botPreview.optional().describe('Only after `dry_run`: the bot that would be published.'),
  })
  .meta({
    id: 'PublishedBot',
    description: 'Where a bot was published.',
    examples: [{ slug: 'weekly-seo-report', url: '/bots/weekly-seo-report' }],
  });
export type Published = z.infer<typeof published>;

/** Integrations to add to a bot. */
export const addedIntegrations = z.object({
  integrations: entries(sentIntegration, 'Names or slugs to add. Those already on the bot are skipped.'),
});

/** A bot's integrations after a merge. */
export const mergedIntegrations = z
  .object({
    slug,
    url: path,
    integrations: z.array(integrationSlug).describe('All integration slugs of the bot, in no particular order.'),
  })
  .meta({ id: 'MergedIntegrations', description: "A bot's integrations after a merge." });
export type MergedIntegrations = z.infer<typeof mergedIntegrations>;

/** The fields of a bot that its template decides. Clients must expect new values. */
export const templateFields = ['name', 'description', 'integrations'] as const;
export type TemplateField = (typeof templateFields)[number];

/** What the last reading of a bot's template changed. */
export const refreshedBot = z
  .object({
    slug,
    url: path,
    changed: z
      .array(z.enum(templateFields).meta({ examples: ['name'] }))
      .describe('The fields that differed from the template and now equal it; [] if none did.'),
    checked_at: instant('When the template was read: ISO 8601, UTC, with milliseconds.'),
  })
  .meta({ id: 'RefreshedBot', description: "What the last reading of a bot's template changed." });
export type RefreshedBot = z.infer<typeof refreshedBot>;

/** A category and how many bots are in it. */
export const categoryCount = z
  .object({ name: text('As it is spelled on bots.', 'Marketing'), count: count('Bots in it.', 42) })
  .meta({ id: 'CategoryCount', description: 'A category and how many bots are in it.' });
export type CategoryCount = z.infer<typeof categoryCount>;

/** An integration in use and how many bots use it. */
export const integrationCount = z
  .object({ slug: integrationSlug.describe('As it is spelled on bots.'), count: count('Bots that use it.', 42) })
  .meta({ id: 'IntegrationCount', description: 'An integration in use and how many bots use it.' });
export type IntegrationCount = z.infer<typeof integrationCount>;

/** How many of the bots that a filter selects are in each category, and use each integration. */
export const facets = z
  .object({
    categories: z
      .array(categoryCount)
      .describe('Every category, whichever of them the filter names: how many bots another choice would find.'),
    integrations: z.array(integrationCount).describe('Those that the selected bots use, the most used first.'),
  })
  .meta({ id: 'Facets', description: 'How many of the selected bots are in each category, and use each integration.' });
export type Facets = z.infer<typeof facets>;
