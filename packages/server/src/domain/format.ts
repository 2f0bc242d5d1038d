/**
 * Formats of other services: an event as CloudEvents or a chat takes it, instead of its envelope. Each is a JSON body,
 * POSTed like an envelope.
 */
import type { WebhookFormat } from '@bot-directory/contract';
import { discordMessage, slackMessage, type Source } from './chat-message.ts';
import type { WebhookUrl } from './webhook-url.ts';

/** Version 1.0 in structured mode: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md. */
const cloudEvent = ({ envelope: { id, type, created_at, data }, baseUrl }: Source): object => ({
  specversion: '1.0',
  id,
  source: baseUrl,
  type,
  time: created_at,
  datacontenttype: 'application/json',
  data,
});

const formats: Readonly<Record<WebhookFormat, { readonly type: string; readonly make: (source: Source) => object }>> = {
  cloudevents: { type: 'application/cloudevents+json', make: cloudEvent },
  discord: { type: 'application/json', make: discordMessage },
  slack: { type: 'application/json', make: slackMessage },
};

/** An event in a format, as the JSON that is sent. */
export const formatted = (format: WebhookFormat, source: Source): object => formats[format].make(source);

/** The media type of a body in a format, or of an envelope. */
export const contentTypeOf = (format: WebhookFormat | undefined): string =>
  format === undefined ? 'application/json' : formats[format].type;

const slackHost = /^hooks\.slack(?:-gov)?\.com$/;
const discordHost = /^(?:\w+\.)?discord(?:app)?\.com$/;

/** The format that a service is known to expect at its addresses. */
export const expectedFormat = (url: WebhookUrl): WebhookFormat | undefined => {
  const { hostname, pathname } = new URL(url);
  if (slackHost.test(hostname)) return 'slack';
  if (!discordHost.test(hostname) || !/^\/api\/(?:v\d+\/)?webhooks\//.test(pathname)) return undefined;
  return pathname.endsWith('/slack') ? 'slack' : 'discord';
};
