/** The operations as a body calls them: the API and the site's forms pass the same fields. */
import type * as z from 'zod';
import { limits, type newReport } from '@bot-directory/contract';
import { displayText } from '../domain/display-text.ts';
import { addIntegrations } from '../operations/add-integrations.ts';
import { addPost } from '../operations/add-post.ts';
import { addWebhook } from '../operations/add-webhook.ts';
import { getWebhookStatus } from '../operations/get-webhook-status.ts';
import { removeWebhook } from '../operations/remove-webhook.ts';
import { reportBot } from '../operations/report-bot.ts';
import { submitBot } from '../operations/submit-bot.ts';
import { configured, type refinedBodies } from './inputs.ts';

/** What the operations need, together. */
export type OperationDeps = Parameters<typeof submitBot>[0] &
  Parameters<typeof addPost>[0] &
  Parameters<typeof addWebhook>[0] &
  Parameters<typeof getWebhookStatus>[0] &
  Parameters<typeof reportBot>[0];

/** A body as the refined schemas parse it. */
type Body<Name extends keyof ReturnType<typeof refinedBodies>> = z.output<ReturnType<typeof refinedBodies>[Name]>;

/** `deps` undefined: saving is not configured, and every operation rejects with the Failure that says so. */
export const createOperations = (deps: OperationDeps | undefined) => ({
  submitBot: async ({ link, author, source_url, integrations, categories }: Body<'submitBot'>) =>
    submitBot(configured(deps), {
      link,
      author: author ?? null,
      sourceUrl: source_url?.url ?? null,
      integrations,
      categories: categories ?? [],
    }),
  addIntegrations: async (slug: string, { integrations }: Body<'addIntegrations'>) =>
    addIntegrations(configured(deps), slug, integrations),
  reportBot: async (slug: string, { reason, text = '' }: z.output<typeof newReport>) =>
    reportBot(configured(deps), slug, { reason, text: displayText(text, limits.reportLength) }),
  addPost: async ({ url }: Body<'addPost'>) => addPost(configured(deps), url),
  addWebhook: async ({ url, secret }: Body<'newWebhook'>) => addWebhook(configured(deps), url, secret),
  removeWebhook: async ({ url }: Body<'webhook'>) => removeWebhook(configured(deps), url),
  getWebhookStatus: async ({ url }: Body<'webhook'>) => getWebhookStatus(configured(deps), url),
});
