/** The forms that register, check and remove a webhook. What came of one is on the answer itself: its URL is a secret. */
import type { RequestHandler } from 'express';
import type { WebhookAction, WebhookResult } from '@bot-directory/site';
import { invalidAction } from './failures.ts';
import type { FormActions } from './form-actions.ts';
import { failureOf, fieldOf, filled, refusedForm, requestIdOf, sendAnswer, sendRefusal, typedIn } from './form.ts';
import { sendablePage, type Site } from './site.ts';
import { webhooksView } from './webhooks-page.ts';

type Actions = Pick<FormActions, 'addWebhook' | 'removeWebhook' | 'getWebhookStatus'>;

const actions: readonly WebhookAction[] = ['register', 'status', 'remove'];

/** Does what was asked for and shows what came of it. */
export const webhookForms =
  (site: Site, does: Actions): RequestHandler =>
  async (req, res) => {
    const typed = typedIn(req);
    const action = actions.find((name) => name === typed.get('action'));
    if (action === undefined) throw invalidAction();
    await site.directory.fresh().catch(() => undefined);
    const view = { ...webhooksView(site), action };
    try {
      const body = filled({ url: fieldOf(typed, 'url'), secret: fieldOf(typed, 'secret') });
      sendAnswer(res, 200, sendablePage(site, { ...view, result: await resultOf(action, does, body) }));
    } catch (error) {
      const failure = failureOf(error);
      const form = refusedForm(typed, failure, requestIdOf(res));
      const pingFailure = failure.extras.reason;
      sendRefusal(res, failure, sendablePage(site, { ...view, form, pingFailure }));
    }
  };

const resultOf = async (action: WebhookAction, does: Actions, body: unknown): Promise<WebhookResult> => {
  switch (action) {
    case 'register':
      return { of: 'register', ...(await does.addWebhook(body)) };
    case 'remove':
      return { of: 'remove', ...(await does.removeWebhook(body)) };
    case 'status': {
      const status = await does.getWebhookStatus(body);
      return {
        of: 'status',
        url: status.url,
        state: status.state,
        failures: status.failures_in_a_row,
        pending: status.pending_events,
        lastFailure: status.last_failure,
        nextAttemptAt: status.next_attempt_at,
      };
    }
  }
};
