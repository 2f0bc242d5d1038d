/**
 * The ts-rest router: every route of the API, its statuses and schemas. Its keys are the operations' names everywhere.
 */
import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import {
  addedIntegrations,
  botDetails,
  categoryCount,
  facets,
  integrationCount,
  listedBot,
  mergedIntegrations,
  published,
  refreshedBot,
  submission,
} from './bot.ts';
import { directoryEvent } from './event.ts';
import { text } from './field.ts';
import { limits } from './limits.ts';
import { botQuery, eventQuery, facetQuery, includeQuery, pageQuery, streamHeaders, streamQuery } from './listing.ts';
import { newPost, post } from './post.ts';
import { newPostReport, newReport, report } from './report.ts';
import { responds } from './route.ts';
import {
  newWebhook,
  removedWebhook,
  webhook,
  webhookAddress,
  webhookKeys,
  webhookStatus,
  webhookTest,
} from './webhook.ts';

const c = initContract();

const slug = z.object({ slug: text('URL slug of a bot.', 'weekly-seo-report', { minLength: 1 }) });

/** The checks that every write makes before the operation's own. */
const writeChecks = [
  'rate_limited',
  'unsupported_media_type',
  'body_too_large',
  'unreadable_json',
  'invalid_request',
  'saving_not_configured',
  'store_unavailable',
] as const;

const writeHeaders = ['RateLimit', 'RateLimit-Policy'] as const;

/** Operations that change something. They take JSON and are rate-limited. */
export const writeRoutes = c.router({
  submitBot: {
    method: 'POST',
    path: '/api/bots/submit',
    summary: 'Submit a bot',
    description:
      'Fetches name and description of the template, which a body must not have, and publishes the bot. ' +
      'Safe to retry: a template is published once.',
    body: submission,
    ...responds(published, {
      tag: 'Bots',
      checks: [
        ...writeChecks,
        'bot_exists',
        'bot_removed',
        'submissions_closed',
        'submission_blocked',
        'template_not_found',
        'template_provider_unavailable',
      ],
      headers: writeHeaders,
      repeatable: true,
      earlierSuccess: { problem: 'bot_exists', members: ['slug', 'url'] },
    }),
  },
  addIntegrations: {
    method: 'POST',
    path: '/api/bots/:slug/integrations',
    summary: 'Add integrations',
    description: 'Merges integrations into a bot, all or none. It never removes one.',
    pathParams: slug,
    body: addedIntegrations,
    ...responds(mergedIntegrations, {
      tag: 'Bots',
      checks: [...writeChecks, 'bot_not_found', 'bot_gone', 'too_many_integrations'],
      headers: writeHeaders,
      repeatable: true,
    }),
  },
  refreshBot: {
    method: 'POST',
    path: '/api/bots/:slug/refresh',
    summary: 'Refresh a bot',
    description:
      "Reads the template again and updates the bot's name, description and integrations; those that people added " +
      `stay. A template is read at most once in ${limits.refreshSec / 60} minutes.`,
    pathParams: slug,
    body: z.object({}),
    ...responds(refreshedBot, {
      tag: 'Bots',
      checks: [
        ...writeChecks,
        'bot_not_found',
        'bot_gone',
        'template_not_found',
        'template_provider_unavailable',
        'submission_blocked',
      ],
      headers: writeHeaders,
      repeatable: true,
      bodyOptional: true,
    }),
  },
  reportBot: {
    method: 'POST',
    path: '/api/bots/:slug/reports',
    summary: 'Report a bot',
    description: 'Reports a bot to the operator. A report hides nothing by itself.',
    pathParams: slug,
    body: newReport,
    ...responds(report, {
      tag: 'Bots',
      checks: [...writeChecks, 'bot_not_found', 'bot_gone'],
      headers: writeHeaders,
      repeatable: true,
    }),
  },
  addPost: {
    method: 'POST',
    path: '/api/feed',
    summary: 'Add a showcase post',
    description: 'A status is one post, however its URL is spelled.',
    body: newPost,
    ...responds(post, {
      tag: 'Feed',
      checks: [...writeChecks, 'submissions_closed', 'submission_blocked', 'post_exists'],
      headers: writeHeaders,
      repeatable: true,
      earlierSuccess: { problem: 'post_exists', members: ['id', 'url'] },
    }),
  },
  reportPost: {
    method: 'POST',
    path: '/api/feed/reports',
    summary: 'Report a showcase post',
    body: newPostReport,
    ...responds(post, {
      tag: 'Feed',
      checks: [...writeChecks, 'post_not_found'],
      headers: writeHeaders,
      repeatable: true,
    }),
  },
  addWebhook: {
    method: 'POST',
    path: '/api/webhooks/bots',
    summary: 'Add a webhook',
    description:
      'Pings the URL and registers it after a 2xx. A webhook that is stopped or waits for a retry is resumed. Another ' +
      'one that is registered is a 409, unless the request changes it.',
    body: newWebhook,
    ...responds(webhook, {
      tag: 'Webhooks',
      checks: [...writeChecks, 'submission_blocked', 'webhook_exists', 'too_many_webhooks', 'webhook_ping_failed'],
      headers: writeHeaders,
      repeatable: true,
      earlierSuccess: { problem: 'webhook_exists', members: Object.keys(webhook.shape) },
    }),
  },
  testWebhook: {
    method: 'POST',
    path: '/api/webhooks/bots/test',
    summary: 'Test a webhook',
    description:
      'Sends a ping to a registered URL, signed as its deliveries are, and returns how it responded. A ping changes ' +
      'nothing about the webhook.',
    body: webhookAddress,
    ...responds(webhookTest, {
      tag: 'Webhooks',
      checks: [...writeChecks, 'submission_blocked', 'webhook_not_found'],
      headers: writeHeaders,
      repeatable: true,
    }),
  },
  removeWebhook: {
    method: 'DELETE',
    path: '/api/webhooks/bots',
    summary: 'Remove a webhook',
    description: 'Anyone who knows the URL may remove the webhook. `?url=` works, too.',
    body: webhookAddress,
    ...responds(removedWebhook, {
      tag: 'Webhooks',
      checks: [...writeChecks, 'webhook_not_found'],
      headers: writeHeaders,
      bodyInQuery: true,
      repeatable: true,
      earlierSuccess: { problem: 'webhook_not_found', members: ['url'] },
    }),
  },
});

/** The checks that every read of the event log makes. */
const eventReadChecks = ['invalid_request', 'saving_not_configured', 'store_unavailable'] as const;

/** Operations that read the directory and its event log as prepared bytes, with `ETag` and 304. */
export const readRoutes = c.router({
  listBots: {
    method: 'GET',
    path: '/api/bots',
    summary: 'List bots',
    description:
      'Every published bot, newest first. `X-Total-Count` counts all matches; `Link` has the next page. ' +
      'With `Accept: application/x-ndjson` they are lines of JSON.',
    query: botQuery.extend(includeQuery),
    ...responds(z.array(listedBot), {
      tag: 'Bots',
      checks: ['invalid_request', 'directory_unavailable'],
      headers: ['ETag', 'Last-Modified', 'Link', 'X-Total-Count'],
    }),
  },
  countFacets: {
    method: 'GET',
    path: '/api/bots/facets',
    summary: 'Count bots by category and integration',
    description: 'Counts the bots that match a filter, for choices that narrow a list further.',
    query: facetQuery,
    ...responds(facets, {
      tag: 'Bots',
      checks: ['invalid_request', 'directory_unavailable'],
      headers: ['ETag', 'Last-Modified'],
    }),
  },
  getBot: {
    method: 'GET',
    path: '/api/bots/:slug',
    summary: 'Read one bot',
    pathParams: slug,
    ...responds(botDetails, {
      tag: 'Bots',
      checks: ['directory_unavailable', 'bot_not_found', 'bot_gone'],
      headers: ['ETag', 'Last-Modified'],
    }),
  },
  listPosts: {
    method: 'GET',
    path: '/api/feed',
    summary: 'Read the showcase feed',
    description: 'Every post, newest first, in pages like the list of bots.',
    query: pageQuery,
    ...responds(z.array(post), {
      tag: 'Feed',
      checks: ['invalid_request', 'directory_unavailable'],
      headers: ['ETag', 'Last-Modified', 'Link', 'X-Total-Count'],
    }),
  },
  listCategories: {
    method: 'GET',
    path: '/api/categories',
    summary: 'List categories',
    description: 'Every category a bot may be in, with its number of bots.',
    ...responds(z.array(categoryCount), {
      tag: 'Bots',
      checks: ['invalid_request', 'directory_unavailable'],
      headers: ['ETag', 'Last-Modified'],
    }),
  },
  listIntegrations: {
    method: 'GET',
    path: '/api/integrations',
    summary: 'List integrations',
    description: 'Every integration in use, the most used first.',
    ...responds(z.array(integrationCount), {
      tag: 'Bots',
      checks: ['invalid_request', 'directory_unavailable'],
      headers: ['ETag', 'Last-Modified'],
    }),
  },
  listEvents: {
    method: 'GET',
    path: '/api/events',
    summary: 'Catch up on events',
    description:
      'The envelopes published after an event, oldest first, that are true of their bots as they are now. ' +
      `A page also ends after ${limits.eventsExamined.toLocaleString('en')} examined events.`,
    query: eventQuery.extend(includeQuery),
    ...responds(z.array(directoryEvent), {
      tag: 'Events',
      checks: [...eventReadChecks, 'event_not_found'],
      headers: ['ETag', 'Link'],
    }),
  },
});

const streamText = z.string().meta({
  examples: [
    'id: evt_01M7YAV3PY95EN1YP35H8TDBRX\nevent: bot.created\ndata: {"id":"evt_01M7YAV3PY95EN1YP35H8TDBRX",…}\n\n',
  ],
});

/** Operations that stream events and read the status of deliveries from the store. */
export const deliveryRoutes = c.router({
  streamEvents: {
    method: 'GET',
    path: '/api/events/stream',
    summary: 'Stream events',
    description:
      'Server-Sent Events: `data` is the envelope, with its `id`; `event` is its type. ' +
      'If the log no longer has that event, a `gap` comes first, then all events. ' +
      'A `position` has no envelope: its `id` is where to resume.',
    query: streamQuery.extend(includeQuery),
    headers: streamHeaders,
    ...responds(c.otherResponse({ contentType: 'text/event-stream', body: streamText }), {
      tag: 'Events',
      checks: eventReadChecks,
    }),
  },
  getWebhookStatus: {
    method: 'GET',
    path: '/api/webhooks/bots/status',
    summary: 'Read the state of a webhook',
    description: 'For anyone who knows the URL.',
    query: webhookAddress,
    ...responds(webhookStatus, {
      tag: 'Webhooks',
      checks: ['invalid_request', 'saving_not_configured', 'store_unavailable', 'webhook_not_found'],
    }),
  },
  listWebhookKeys: {
    method: 'GET',
    path: '/api/webhooks/keys',
    summary: 'List the keys that verify deliveries',
    ...responds(webhookKeys, { tag: 'Webhooks', checks: ['saving_not_configured', 'store_unavailable'] }),
  },
});

/** The whole API. */
export const contract = { ...readRoutes, ...writeRoutes, ...deliveryRoutes };

/** The name of an operation. */
export type OperationName = keyof typeof contract;

/** The contract's semantic version: OpenAPI's `info.version`. */
export const contractVersion = '1.0.0';
