/** What forms do: the API's operations, by the same rules, with the typed values. Each throws the Failure to show. */
import type { Post, Published, Report, Webhook, WebhookStatus } from '@bot-directory/contract';

/** Bodies are those of the API. */
export type FormActions = {
  readonly submitBot: (body: unknown) => Promise<Published>;
  readonly addPost: (body: unknown) => Promise<Post>;
  readonly addWebhook: (body: unknown) => Promise<Webhook>;
  readonly removeWebhook: (body: unknown) => Promise<{ readonly url: string }>;
  readonly getWebhookStatus: (body: unknown) => Promise<WebhookStatus>;
  readonly reportBot: (slug: string, body: unknown) => Promise<Report>;
};
