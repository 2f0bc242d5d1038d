/** Webhooks, their status, and the keys that verify their deliveries. */
import * as z from 'zod';
import { deliveryFailures } from './delivery-failure.ts';
import { defaultEventTypes, loggedEventTypes } from './event.ts';
import {
  count,
  entries,
  handlePattern,
  instant,
  omissible,
  resettable,
  sentCategory,
  sentIntegration,
  sentUrl,
  text,
  textOrNull,
} from './field.ts';
import { limits } from './limits.ts';

const url = 'https://hooks.example.com/bots';

/** The URL of a webhook, in a request. */
export const webhookAddress = z.object({ url: sentUrl('An HTTPS endpoint on a public address.', url) });

const { secretMinBytes, secretMaxBytes } = limits;
const base64Length = (bytes: number): number => Math.ceil((bytes * 4) / 3);

/** A secret as Standard Webhooks writes it. */
const webhookSecret = z
  .string()
  .regex(
    new RegExp(`^whsec_[A-Za-z0-9+/]{${base64Length(secretMinBytes)},${base64Length(secretMaxBytes)}}={0,2}$`),
    `must be whsec_ and ${secretMinBytes} to ${secretMaxBytes} bytes in base64`,
  )
  .meta({
    description: `whsec_ and ${secretMinBytes} to ${secretMaxBytes} random bytes in base64. It signs deliveries, too (\`v1\`).`,
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });

const { headersPerWebhook, headerNameLength, headerValueLength } = limits;

/** Headers by name. The server refuses some names, such as those that it sets itself. */
const sentHeaders = z
  .record(
    z.string().regex(new RegExp(`^[\\w!#$%&'*+.^\`|~-]{1,${headerNameLength}}$`)),
    z.string().regex(new RegExp(`^[!-~](?:[\\t -~]{0,${headerValueLength - 2}}[!-~])?$`)),
  )
  .meta({
    description: 'Sent with every delivery.',
    examples: [{ 'X-Api-Key': 'secret' }],
    maxProperties: headersPerWebhook,
  });

/** Which bots a webhook is about. The members mean what they mean in the list. */
export const sentFilter = z
  .object({
    category: omissible(entries(sentCategory, 'Names: bots in any of them.')),
    integration: omissible(entries(sentIntegration, 'Names or slugs: bots with all of them.')),
    author: omissible(text('A handle, with or without its `@`.', '@ada_l', { pattern: handlePattern })),
    q: omissible(
      text('Words, as in the list.', 'report', {
        maxLength: limits.queryLength,
      }),
    ),
  })
  .meta({
    description: 'Only events of bots that match all of it are sent.',
    examples: [{ integration: ['slack'] }],
  });

const sentEvents = z
  .array(z.enum(loggedEventTypes))
  .min(1)
  .max(limits.arrayEntries)
  .meta({ examples: [['bot.created', 'bot.removed']] })
  .describe(`Event types; \`${defaultEventTypes.join('`, `')}\` by default.`);

/** Formats of other services, in which a webhook may get its events instead of the envelope. */
export const webhookFormats = ['slack', 'discord', 'teams', 'google-chat', 'cloudevents'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** The body that registers a webhook. */
export const newWebhook = webhookAddress.extend({
  secret: omissible(webhookSecret),
  headers: omissible(sentHeaders),
  filter: resettable(sentFilter),
  events: resettable(sentEvents),
  format: resettable(z.enum(webhookFormats).describe('Instead of the envelope.')),
  resume: omissible(z.literal('next').describe('Skips the event that failed.')),
});
export type NewWebhook = z.infer<typeof newWebhook>;

/** Makes a list of names in a response. */
const names = (description: string, example: string) =>
  z.array(z.string().meta({ examples: [example] })).describe(description);

/** What a webhook is registered with. Its secret and headers are never shown. */
const registered = {
  events: z
    .array(z.enum(loggedEventTypes))
    .meta({ description: 'The types sent to it.', examples: [['bot.created', 'bot.removed']] }),
  filter: z
    .object({
      category: names('Names: bots in any of them.', 'SEO'),
      integration: names('Slugs: bots with all of them.', 'slack'),
      author: textOrNull('The author, or null.', null),
      q: text('Words, or an empty text.', ''),
    })
    .nullable()
    .meta({
      description: 'Its filter, or null.',
      examples: [{ category: [], integration: ['slack'], author: null, q: '' }],
    }),
  format: z
    .enum(webhookFormats)
    .nullable()
    .meta({ description: 'Its format, or null.', examples: ['slack'] }),
  has_secret: z.boolean().meta({ description: 'Whether it has a secret.', examples: [true] }),
  has_headers: z.boolean().meta({ description: 'Whether it has headers.', examples: [true] }),
};

/** A registered webhook. Webhooks are never listed: the caller keeps a copy of the URL. */
export const webhook = z
  .object({
    id: text('Saved webhook id, of the form wh_<ULID>.', 'wh_01M7YAV3PXPR9JYQYS5FWGY2KM'),
    url: text('Canonical HTTPS URL that receives POSTs.', url, { format: 'uri' }),
    outcome: z
      .enum(['added', 'replaced', 'resumed', 'unchanged'])
      .describe(
        '`added`: it is new. `replaced`: it was registered, and what is new is in force. `resumed`: it was stopped or ' +
          'waited for a retry, and is sent its next event now. `unchanged`: only in a 409.',
      ),
    ...registered,
  })
  .meta({ id: 'Webhook', description: 'A registered webhook.' });
export type Webhook = z.infer<typeof webhook>;

/** The URL that was removed. */
export const removedWebhook = z
  .object({ url: text('The URL removed.', url, { format: 'uri' }) })
  .meta({ id: 'RemovedWebhook', description: 'The webhook that was removed.' });

/** How an attempt went. */
const attempt = {
  status: z
    .int()
    .nullable()
    .meta({ description: 'The status of the response, or null if there was none.', examples: [503] }),
  failure: z
    .enum(deliveryFailures)
    .nullable()
    .meta({ description: 'Why it failed, or null if it was accepted.', examples: ['status'] }),
  duration_ms: count('How long it took, in milliseconds.', 35),
};

/** The result of a test. */
export const webhookTest = z
  .object({
    url: text('The canonical URL.', url, { format: 'uri' }),
    ...attempt,
    detail: text('What happened, in words.', 'It responded with 503, not with a 2xx status.'),
  })
  .meta({ id: 'WebhookTest', description: 'How an endpoint responded to a ping.' });
export type WebhookTest = z.infer<typeof webhookTest>;

/** The status of deliveries to a webhook. */
export const webhookStatus = z
  .object({
    url: text('The canonical URL.', url, { format: 'uri' }),
    state: z
      .enum(['active', 'stopped'])
      .describe(`\`stopped\` after ${limits.failuresInARow} failures in a row; register again to resume.`),
    failures_in_a_row: count('Failed deliveries since the last success.', 2),
    ...registered,
    pending_events: count(
      `Events that it lacks, of the next ${limits.eventsExamined.toLocaleString('en')} in the log.`,
      1,
    ),
    last_failure: z
      .enum(deliveryFailures)
      .nullable()
      .describe('Category of the last failure since a success, or null.'),
    next_attempt_at: z
      .string()
      .nullable()
      .meta({
        description: 'When the next retry is due (ISO 8601), or null.',
        examples: ['2026-11-21T05:58:35.166Z'],
        format: 'date-time',
      }),
    last_attempts: z
      .array(
        z.object({
          attempted_at: instant('When its result was saved (ISO 8601).'),
          ...attempt,
        }),
      )
      .describe('The last ten attempts, newest first.'),
    skipped_events: z
      .array(
        z.object({
          id: text('Id of the event, which stays in the event log.', 'evt_01M7YB0MGAKQ9YF0ZQ8J5NN2V3'),
          failure: z.enum(deliveryFailures).describe('Category of its last failure.'),
          skipped_at: z.string().meta({
            description: 'When it was skipped (ISO 8601).',
            examples: ['2026-11-21T05:58:35.166Z'],
            format: 'date-time',
          }),
        }),
      )
      .describe('The last ten events that it refused while it accepted others, newest first.'),
  })
  .meta({ id: 'WebhookStatus', description: 'The status of deliveries to a webhook.' });
export type WebhookStatus = z.infer<typeof webhookStatus>;

/** The public keys in force, newest first. Several while a key is rotated. */
export const webhookKeys = z
  .object({
    keys: z
      .array(
        z.object({
          id: text('Identifies the key: the first characters of its SHA-256.', '9f86d081884c7d65'),
          algorithm: z.literal('ed25519').describe('The signature algorithm.'),
          public_key: text(
            'whpk_ and the 32 raw bytes in base64 (Standard Webhooks).',
            'whpk_vtVN7WHS2hdVBzPqlUa0kPzlxSDEuBfRdmFSxTUCJ0g=',
          ),
        }),
      )
      .describe('Newest first.'),
  })
  .meta({ id: 'WebhookKeys', description: 'The public keys in force, newest first. Several while a key is rotated.' });
export type WebhookKeys = z.infer<typeof webhookKeys>;
