/** The operations behind the site's forms: given what was typed, checked by the same schemas as the API's bodies. */
import type * as z from 'zod';
import { limits, newReport } from '@bot-directory/contract';
import { displayText } from '../domain/display-text.ts';
import { addPost } from '../operations/add-post.ts';
import { addWebhook } from '../operations/add-webhook.ts';
import { getWebhookStatus } from '../operations/get-webhook-status.ts';
import { removeWebhook } from '../operations/remove-webhook.ts';
import { reportBot } from '../operations/report-bot.ts';
import { submitBot } from '../operations/submit-bot.ts';
import type { FormActions } from '../site/form-actions.ts';
import type { OperationDeps } from './api.ts';
import { bodyErrors, configured, invalidInput, refinedBodies, type InputRules } from './inputs.ts';
import { asFailure } from './problems.ts';

/** Makes them. `deps` undefined: saving is not configured, which is said only of valid input. */
export const formActions = (rules: InputRules, deps: OperationDeps | undefined): FormActions => {
  const body = refinedBodies(rules);
  return {
    submitBot: action(body.submitBot, ({ link, author, source_url, integrations, categories }) =>
      submitBot(configured(deps), {
        link,
        author: author ?? null,
        sourceUrl: source_url?.url ?? null,
        integrations,
        categories: categories ?? [],
      }),
    ),
    addPost: action(body.addPost, ({ url }) => addPost(configured(deps), url)),
    addWebhook: action(body.newWebhook, ({ url, secret }) => addWebhook(configured(deps), url, secret)),
    removeWebhook: action(body.webhook, ({ url }) => removeWebhook(configured(deps), url)),
    getWebhookStatus: action(body.webhook, ({ url }) => getWebhookStatus(configured(deps), url)),
    reportBot: (slug, typed) =>
      action(newReport, ({ reason, text = '' }) =>
        reportBot(configured(deps), slug, { reason, text: displayText(text, limits.reportLength) }),
      )(typed),
  };
};

/** Reads a body and does what is to be done with it. Rejects with the Failure to show, or with a bug. */
const action =
  <Body, Result>(schema: z.ZodType<Body>, run: (body: Body) => Promise<Result>) =>
  async (typed: unknown): Promise<Result> => {
    const parsed = schema.safeParse(typed);
    if (!parsed.success) throw invalidInput(bodyErrors(parsed.error.issues));
    try {
      return await run(parsed.data);
    } catch (error) {
      throw asFailure(error) ?? error;
    }
  };
