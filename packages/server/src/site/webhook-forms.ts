/**
 * The forms that register, check and remove a webhook. The result is shown on the response itself: the URL is a secret.
 */
import type { WebhookAction, WebhookResult, WebhooksView } from '@bot-directory/site';
import { invalidAction } from './failures.ts';
import type { FormActions } from './form-actions.ts';
import { fieldOf, filled, takeForm, type Typed } from './form.ts';
import { sendablePage, type Site } from './site.ts';
import { webhooksView } from './webhooks-page.ts';

type Actions = Pick<FormActions, 'addWebhook' | 'removeWebhook' | 'getWebhookStatus'>;

const actions: readonly WebhookAction[] = ['register', 'status', 'remove'];

/** Runs the requested action and shows its result. */
export const webhookForms = (site: Site, does: Actions) =>
  takeForm(
    async (typed) => {
      const action = actionOf(typed);
      const body = filled({ url: fieldOf(typed, 'url'), secret: fieldOf(typed, 'secret') });
      const result = await resultOf(action, does, body);
      return { page: sendablePage(site, { ...(await freshView(site)), action, result }) };
    },
    async ({ typed, form, failure }) => {
      const action = actionOf(typed);
      return sendablePage(site, { ...(await freshView(site)), action, form, pingFailure: failure.extras.reason });
    },
  );

const freshView = async (site: Site): Promise<WebhooksView> => {
  await site.directory.fresh().catch(() => undefined);
  return webhooksView(site);
};

const actionOf = (typed: Typed): WebhookAction => {
  const action = actions.find((name) => name === typed.get('action'));
  if (action === undefined) throw invalidAction();
  return action;
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
