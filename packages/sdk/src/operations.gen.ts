/**
 * The API's operations, from its contract. Each can be imported on its own; `createClient` binds them all.
 * Written by `npm run generate`; do not edit.
 */
import { type Call, call } from './call.ts';
import type { CallOptions, Connection } from './options.ts';
import type { Route } from './request.ts';
import type {
  AddIntegrationsInput,
  AddIntegrationsProblems,
  AddPostInput,
  AddPostProblems,
  AddWebhookInput,
  AddWebhookProblems,
  Bot,
  CategoryCount,
  DirectoryEvent,
  GetBotInput,
  GetBotProblems,
  GetWebhookStatusInput,
  GetWebhookStatusProblems,
  IntegrationCount,
  ListBotsInput,
  ListBotsProblems,
  ListCategoriesProblems,
  ListEventsInput,
  ListEventsProblems,
  ListIntegrationsProblems,
  ListPostsInput,
  ListPostsProblems,
  ListWebhookKeysProblems,
  MergedIntegrations,
  Post,
  PublishedBot,
  RemoveWebhookInput,
  RemoveWebhookProblems,
  RemovedWebhook,
  Report,
  ReportBotInput,
  ReportBotProblems,
  SubmitBotInput,
  SubmitBotProblems,
  Webhook,
  WebhookKeys,
  WebhookStatus,
} from './types.gen.ts';

/** Event types that this version knows. */
export const eventTypes: readonly unknown[] = ['bot.created', 'bot.removed', 'bot.restored'];

/** List bots. Every published bot, newest first. `X-Total-Count` counts all that match; `Link` leads to the next page. */
export const listBots = (
  connection: Connection,
  input: ListBotsInput = {},
  options?: CallOptions,
): Call<Bot[], ListBotsProblems> =>
  call(connection, { name: 'listBots', method: 'GET', path: '/api/bots', list: true }, input, options);

/** Read one bot. */
export const getBot = (connection: Connection, input: GetBotInput, options?: CallOptions): Call<Bot, GetBotProblems> =>
  call(connection, { name: 'getBot', method: 'GET', path: '/api/bots/:slug' }, input, options);

/** Read the showcase feed. Every post, newest first, paged as the bot list is. */
export const listPosts = (
  connection: Connection,
  input: ListPostsInput = {},
  options?: CallOptions,
): Call<Post[], ListPostsProblems> =>
  call(connection, { name: 'listPosts', method: 'GET', path: '/api/feed', list: true }, input, options);

/** List categories. Every category a bot may be in, with its number of bots. */
export const listCategories = (
  connection: Connection,
  options?: CallOptions,
): Call<CategoryCount[], ListCategoriesProblems> =>
  call(connection, { name: 'listCategories', method: 'GET', path: '/api/categories', list: true }, {}, options);

/** List integrations. Every integration in use, the most used first. */
export const listIntegrations = (
  connection: Connection,
  options?: CallOptions,
): Call<IntegrationCount[], ListIntegrationsProblems> =>
  call(connection, { name: 'listIntegrations', method: 'GET', path: '/api/integrations', list: true }, {}, options);

/** Submit a bot. Fetches name and description of the template and publishes the bot. Safe to retry: a template is published once. */
export const submitBot = (
  connection: Connection,
  input: SubmitBotInput,
  options?: CallOptions,
): Call<PublishedBot, SubmitBotProblems> =>
  call(
    connection,
    { name: 'submitBot', method: 'POST', path: '/api/bots/submit', earlier: ['bot_exists', 'slug', 'url'] },
    input,
    options,
  );

/** Add integrations. Merges integrations into a bot, all or none. It never removes one. */
export const addIntegrations = (
  connection: Connection,
  input: AddIntegrationsInput,
  options?: CallOptions,
): Call<MergedIntegrations, AddIntegrationsProblems> =>
  call(connection, { name: 'addIntegrations', method: 'POST', path: '/api/bots/:slug/integrations' }, input, options);

/** Report a bot. Reports a bot to the operator. A report hides nothing by itself. */
export const reportBot = (
  connection: Connection,
  input: ReportBotInput,
  options?: CallOptions,
): Call<Report, ReportBotProblems> =>
  call(connection, { name: 'reportBot', method: 'POST', path: '/api/bots/:slug/reports' }, input, options);

/** Add a showcase post. Adds a social-platform status to the feed. One status is one post, however its URL is spelled. */
export const addPost = (
  connection: Connection,
  input: AddPostInput,
  options?: CallOptions,
): Call<Post, AddPostProblems> =>
  call(
    connection,
    { name: 'addPost', method: 'POST', path: '/api/feed', earlier: ['post_exists', 'id', 'url'] },
    input,
    options,
  );

/** Add a webhook. Pings the URL and keeps it when the ping is answered with 2xx. A URL that was stopped after failures is resumed. One that is active is 409, unless it comes with another `secret`: then it is pinged, and a 2xx puts that secret in the place of the old one. */
export const addWebhook = (
  connection: Connection,
  input: AddWebhookInput,
  options?: CallOptions,
): Call<Webhook, AddWebhookProblems> =>
  call(
    connection,
    { name: 'addWebhook', method: 'POST', path: '/api/webhooks/bots', earlier: ['webhook_exists', 'id', 'url'] },
    input,
    options,
  );

/** Remove a webhook. Knowing the URL is the authorisation to remove it. */
export const removeWebhook = (
  connection: Connection,
  input: RemoveWebhookInput,
  options?: CallOptions,
): Call<RemovedWebhook, RemoveWebhookProblems> =>
  call(
    connection,
    { name: 'removeWebhook', method: 'DELETE', path: '/api/webhooks/bots', earlier: ['webhook_not_found', 'url'] },
    input,
    options,
  );

/** Catch up on events. The envelopes published after an event, oldest first, just as webhooks receive them. */
export const listEvents = (
  connection: Connection,
  input: ListEventsInput = {},
  options?: CallOptions,
): Call<DirectoryEvent[], ListEventsProblems> =>
  call(connection, { name: 'listEvents', method: 'GET', path: '/api/events', list: true }, input, options);

/** Stream events. Server-Sent Events: `id` is the event id, `event` its type, `data` its envelope. Resumes after `Last-Event-ID` or `after`; without either it starts with the next event. Read by `streamEvents`. */
export const streamEventsRoute: Route = { name: 'streamEvents', method: 'GET', path: '/api/events/stream' };

/** Read the state of a webhook. For anyone who knows the URL: active or stopped, failures in a row, and when it is tried next. */
export const getWebhookStatus = (
  connection: Connection,
  input: GetWebhookStatusInput,
  options?: CallOptions,
): Call<WebhookStatus, GetWebhookStatusProblems> =>
  call(connection, { name: 'getWebhookStatus', method: 'GET', path: '/api/webhooks/bots/status' }, input, options);

/** List the keys that verify deliveries. */
export const listWebhookKeys = (
  connection: Connection,
  options?: CallOptions,
): Call<WebhookKeys, ListWebhookKeysProblems> =>
  call(connection, { name: 'listWebhookKeys', method: 'GET', path: '/api/webhooks/keys' }, {}, options);
