/** The ts-rest router: every route of the API, its statuses and schemas. Keys are the operations' names everywhere. */
import { initContract } from '@ts-rest/core';
import * as z from 'zod';
import {
  addedIntegrations,
  bot,
  categoryCount,
  integrationCount,
  mergedIntegrations,
  published,
  submission,
} from './bot.ts';
import { botCreatedEvent } from './event.ts';
import { botQuery, eventQuery, pageQuery, streamQuery } from './listing.ts';
import { newPost, post } from './post.ts';
import { problemResponses } from './problem.ts';
import { removedWebhook, webhook, webhookAddress, webhookKeys, webhookStatus } from './webhook.ts';

const c = initContract();

const slug = z.object({ slug: z.string() });
const writeProblems = [
  'invalid_request',
  'unreadable_json',
  'body_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'saving_not_configured',
  'store_unavailable',
] as const;

/** Operations that change something. They take JSON and are rate-limited. */
export const writeRoutes = c.router({
  submitBot: {
    method: 'POST',
    path: '/api/bots/submit',
    summary: 'Submit a bot',
    description:
      'Fetches name and description of the template and publishes the bot. Safe to retry: a template is published once.',
    body: submission,
    responses: {
      200: published,
      ...problemResponses(...writeProblems, 'template_not_found', 'bot_exists', 'template_provider_unavailable'),
    },
  },
  addIntegrations: {
    method: 'POST',
    path: '/api/bots/:slug/integrations',
    summary: 'Add integrations',
    description: 'Merges integrations into a bot, all or none. It never removes one.',
    pathParams: slug,
    body: addedIntegrations,
    responses: {
      200: mergedIntegrations,
      ...problemResponses(...writeProblems, 'too_many_integrations', 'bot_not_found'),
    },
  },
  addPost: {
    method: 'POST',
    path: '/api/feed',
    summary: 'Add a showcase post',
    description: 'Adds a social-platform status to the feed. One status is one post, whatever its URL spells.',
    body: newPost,
    responses: { 200: post, ...problemResponses(...writeProblems, 'post_exists') },
  },
  addWebhook: {
    method: 'POST',
    path: '/api/webhooks/bots',
    summary: 'Add a webhook',
    description:
      'Pings the URL and keeps it when the ping is answered with 2xx. A URL that was stopped after failures is resumed.',
    body: webhookAddress,
    responses: {
      200: webhook,
      ...problemResponses(...writeProblems, 'webhook_ping_failed', 'webhook_exists', 'too_many_webhooks'),
    },
  },
  removeWebhook: {
    method: 'DELETE',
    path: '/api/webhooks/bots',
    summary: 'Remove a webhook',
    description: 'Knowing the URL is what authorises its removal.',
    body: webhookAddress,
    responses: { 200: removedWebhook, ...problemResponses(...writeProblems, 'webhook_not_found') },
  },
});

/** Operations that read the directory: answered from memory, with `ETag` and 304. */
export const readRoutes = c.router({
  listBots: {
    method: 'GET',
    path: '/api/bots',
    summary: 'List bots',
    description:
      'Every published bot, newest first. `X-Total-Count` counts all that match; `Link` leads to the next page.',
    query: botQuery,
    responses: { 200: z.array(bot), ...problemResponses('invalid_request', 'internal_error', 'directory_unavailable') },
  },
  getBot: {
    method: 'GET',
    path: '/api/bots/:slug',
    summary: 'Read one bot',
    pathParams: slug,
    responses: { 200: bot, ...problemResponses('bot_not_found', 'internal_error', 'directory_unavailable') },
  },
  listPosts: {
    method: 'GET',
    path: '/api/feed',
    summary: 'Read the showcase feed',
    description: 'Every post, newest first, paged as the bot list is.',
    query: pageQuery,
    responses: {
      200: z.array(post),
      ...problemResponses('invalid_request', 'internal_error', 'directory_unavailable'),
    },
  },
  listCategories: {
    method: 'GET',
    path: '/api/categories',
    summary: 'List categories',
    description: 'Every category a bot may be in, with its number of bots.',
    responses: { 200: z.array(categoryCount), ...problemResponses('internal_error', 'directory_unavailable') },
  },
  listIntegrations: {
    method: 'GET',
    path: '/api/integrations',
    summary: 'List integrations',
    description: 'Every integration in use, the most used first.',
    responses: { 200: z.array(integrationCount), ...problemResponses('internal_error', 'directory_unavailable') },
  },
});

const eventReadProblems = [
  'invalid_request',
  'event_not_found',
  'internal_error',
  'saving_not_configured',
  'store_unavailable',
] as const;

/** Operations that read events and the state of deliveries, straight from the store. */
export const deliveryRoutes = c.router({
  listEvents: {
    method: 'GET',
    path: '/api/events',
    summary: 'Catch up on events',
    description: 'The envelopes published after an event, oldest first, just as webhooks receive them.',
    query: eventQuery,
    responses: { 200: z.array(botCreatedEvent), ...problemResponses(...eventReadProblems) },
  },
  streamEvents: {
    method: 'GET',
    path: '/api/events/stream',
    summary: 'Stream events',
    description:
      'Server-Sent Events: `id` is the event id, `event` its type, `data` its envelope. Resumes after `Last-Event-ID` or `after`; without either it starts at the present.',
    query: streamQuery,
    responses: {
      200: c.otherResponse({ contentType: 'text/event-stream', body: z.string() }),
      ...problemResponses(...eventReadProblems),
    },
  },
  getWebhookStatus: {
    method: 'GET',
    path: '/api/webhooks/bots/status',
    summary: 'Read the state of a webhook',
    description: 'For whoever knows the URL: active or stopped, failures in a row, and when it is tried next.',
    query: webhookAddress,
    responses: {
      200: webhookStatus,
      ...problemResponses(
        'invalid_request',
        'webhook_not_found',
        'internal_error',
        'saving_not_configured',
        'store_unavailable',
      ),
    },
  },
  listWebhookKeys: {
    method: 'GET',
    path: '/api/webhooks/keys',
    summary: 'List the keys that verify deliveries',
    responses: {
      200: webhookKeys,
      ...problemResponses('internal_error', 'saving_not_configured', 'store_unavailable'),
    },
  },
});

/** The whole API. */
export const contract = c.router({ ...readRoutes, ...writeRoutes, ...deliveryRoutes });

/** The name of an operation. */
export type OperationName = keyof typeof contract;

/** The semver of this contract: OpenAPI's `info.version`. */
export const contractVersion = '1.0.0';
