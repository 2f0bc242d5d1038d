/** The operations behind the site's forms. Input is checked by the same schemas as the API's bodies. */
import type * as z from 'zod';
import { newReport } from '@bot-directory/contract';
import type { FormActions } from '../site/form-actions.ts';
import { bodyErrors, invalidInput, refinedBodies, type InputRules } from './inputs.ts';
import { createOperations, type OperationDeps } from './operations.ts';
import { asFailure } from './problems.ts';

/** Makes the actions. `deps` undefined: saving is not configured, which is reported only for valid input. */
export const formActions = (rules: InputRules, deps: OperationDeps | undefined): FormActions => {
  const body = refinedBodies(rules);
  const operations = createOperations(deps);
  return {
    submitBot: checked(body.submitBot, operations.submitBot),
    addPost: checked(body.addPost, operations.addPost),
    addWebhook: checked(body.newWebhook, operations.addWebhook),
    removeWebhook: checked(body.webhook, operations.removeWebhook),
    getWebhookStatus: checked(body.webhook, operations.getWebhookStatus),
    reportBot: (slug, typed) => checked(newReport, (report) => operations.reportBot(slug, report))(typed),
  };
};

/** Checks a body and runs its operation. Rejects with the Failure to show, or with a bug. */
const checked =
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
