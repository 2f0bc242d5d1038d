/** Removes a webhook. Knowing the URL is the authorisation. */
import { Failure } from '../base/failure.ts';
import type { WebhookTarget } from '../domain/webhook-url.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** Removes a URL. Failure: webhook_not_found. */
export const removeWebhook = async (
  { webhooks }: { readonly webhooks: WebhookStore },
  address: WebhookTarget,
): Promise<{ url: string }> => {
  if (!(await webhooks.remove(address))) throw new Failure('webhook_not_found', 'Nothing is registered at this URL.');
  return { url: address.url };
};
