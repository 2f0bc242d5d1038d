/**
 * The API's operations, from its contract. Each can be imported on its own; `createClient` binds them all.
 * Written by `npm run generate`; do not edit.
 */
import { type Call, operation } from './call.ts';
import { earlierSuccess } from './earlier.ts';
import type { CallOptions, Connection } from './options.ts';
import type { Route } from './request.ts';
import type {
  AddIntegrationsInput,
  AddIntegrationsProblems,
  AddPostInput,
  AddPostProblems,
  AddWebhookInput,
  AddWebhookProblems,
  BotDetails,
  CategoryCount,
  CountFacetsInput,
  CountFacetsProblems,
  DirectoryEvent,
  Facets,
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
  ListedBot,
  MergedIntegrations,
  Post,
  PublishedBot,
  RefreshBotInput,
  RefreshBotProblems,
  RefreshedBot,
  RemoveWebhookInput,
  RemoveWebhookProblems,
  RemovedWebhook,
  Report,
  ReportBotInput,
  ReportBotProblems,
  ReportPostInput,
  ReportPostProblems,
  SubmitBotInput,
  SubmitBotProblems,
  TestWebhookInput,
  TestWebhookProblems,
  Webhook,
  WebhookKeys,
  WebhookStatus,
  WebhookTest,
} from './types.gen.ts';

/** Event types that this version knows. */
export const eventTypes: readonly unknown[] = ['bot.created', 'bot.updated', 'bot.removed', 'bot.restored'];

/** List bots. Every published bot, newest first. `X-Total-Count` counts all matches; `Link` has the next page. With `Accept: application/x-ndjson` they are lines of JSON. */
export const listBots: (
  connection: Connection,
  input?: ListBotsInput,
  options?: CallOptions,
) => Call<ListedBot[], ListBotsProblems> = /* @__PURE__ */ operation({
  name: 'listBots',
  method: 'GET',
  path: '/api/bots',
  query: ['limit', 'cursor', 'category', 'integration', 'author', 'q', 'link', 'updated_since', 'sort', 'include'],
  list: true,
});

/** Count bots by category and integration. Counts the bots that match a filter, for choices that narrow a list further. */
export const countFacets: (
  connection: Connection,
  input?: CountFacetsInput,
  options?: CallOptions,
) => Call<Facets, CountFacetsProblems> = /* @__PURE__ */ operation({
  name: 'countFacets',
  method: 'GET',
  path: '/api/bots/facets',
  query: ['category', 'integration', 'author', 'q', 'link', 'updated_since'],
});

/** Read one bot. */
export const getBot: (
  connection: Connection,
  input: GetBotInput,
  options?: CallOptions,
) => Call<BotDetails, GetBotProblems> = /* @__PURE__ */ operation({
  name: 'getBot',
  method: 'GET',
  path: '/api/bots/:slug',
});

/** Read the showcase feed. Every post, newest first, in pages like the list of bots. */
export const listPosts: (
  connection: Connection,
  input?: ListPostsInput,
  options?: CallOptions,
) => Call<Post[], ListPostsProblems> = /* @__PURE__ */ operation({
  name: 'listPosts',
  method: 'GET',
  path: '/api/feed',
  query: ['limit', 'cursor'],
  list: true,
});

/** List categories. Every category a bot may be in, with its number of bots. */
export const listCategories = (
  connection: Connection,
  options?: CallOptions,
): Call<CategoryCount[], ListCategoriesProblems> =>
  operation<CategoryCount[], ListCategoriesProblems>({
    name: 'listCategories',
    method: 'GET',
    path: '/api/categories',
    list: true,
  })(connection, {}, options);

/** List integrations. Every integration in use, the most used first. */
export const listIntegrations = (
  connection: Connection,
  options?: CallOptions,
): Call<IntegrationCount[], ListIntegrationsProblems> =>
  operation<IntegrationCount[], ListIntegrationsProblems>({
    name: 'listIntegrations',
    method: 'GET',
    path: '/api/integrations',
    list: true,
  })(connection, {}, options);

/** Catch up on events. The envelopes published after an event, oldest first, that are true of their bots as they are now. A page also ends after 1,000 examined events. */
export const listEvents: (
  connection: Connection,
  input?: ListEventsInput,
  options?: CallOptions,
) => Call<DirectoryEvent[], ListEventsProblems> = /* @__PURE__ */ operation({
  name: 'listEvents',
  method: 'GET',
  path: '/api/events',
  query: ['after', 'limit', 'category', 'integration', 'author', 'q', 'type', 'include'],
  list: true,
});

/** Submit a bot. Fetches name and description of the template, which a body must not have, and publishes the bot. Safe to retry: a template is published once. */
export const submitBot: (
  connection: Connection,
  input: SubmitBotInput,
  options?: CallOptions,
) => Call<PublishedBot, SubmitBotProblems> = /* @__PURE__ */ operation({
  name: 'submitBot',
  method: 'POST',
  path: '/api/bots/submit',
  earlier: /* @__PURE__ */ earlierSuccess('bot_exists', 'slug', 'url'),
});

/** Add integrations. Merges integrations into a bot, all or none. It never removes one. */
export const addIntegrations: (
  connection: Connection,
  input: AddIntegrationsInput,
  options?: CallOptions,
) => Call<MergedIntegrations, AddIntegrationsProblems> = /* @__PURE__ */ operation({
  name: 'addIntegrations',
  method: 'POST',
  path: '/api/bots/:slug/integrations',
});

/** Refresh a bot. Reads the template again and updates the bot's name, description and integrations; those that people added stay. A template is read at most once in 10 minutes. */
export const refreshBot: (
  connection: Connection,
  input: RefreshBotInput,
  options?: CallOptions,
) => Call<RefreshedBot, RefreshBotProblems> = /* @__PURE__ */ operation({
  name: 'refreshBot',
  method: 'POST',
  path: '/api/bots/:slug/refresh',
});

/** Report a bot. Reports a bot to the operator. A report hides nothing by itself. */
export const reportBot: (
  connection: Connection,
  input: ReportBotInput,
  options?: CallOptions,
) => Call<Report, ReportBotProblems> = /* @__PURE__ */ operation({
  name: 'reportBot',
  method: 'POST',
  path: '/api/bots/:slug/reports',
});

/** Add a showcase post. A status is one post, however its URL is spelled. */
export const addPost: (
  connection: Connection,
  input: AddPostInput,
  options?: CallOptions,
) => Call<Post, AddPostProblems> = /* @__PURE__ */ operation({
  name: 'addPost',
  method: 'POST',
  path: '/api/feed',
  earlier: /* @__PURE__ */ earlierSuccess('post_exists', 'id', 'url'),
});

/** Report a showcase post. */
export const reportPost: (
  connection: Connection,
  input: ReportPostInput,
  options?: CallOptions,
) => Call<Post, ReportPostProblems> = /* @__PURE__ */ operation({
  name: 'reportPost',
  method: 'POST',
  path: '/api/feed/reports',
});

/** Add a webhook. Pings the URL and registers it after a 2xx. A webhook that is stopped or waits for a retry is resumed. Another one that is registered is a 409, unless the request changes it. */
export const addWebhook: (
  connection: Connection,
  input: AddWebhookInput,
  options?: CallOptions,
) => Call<Webhook, AddWebhookProblems> = /* @__PURE__ */ operation({
  name: 'addWebhook',
  method: 'POST',
  path: '/api/webhooks/bots',
  earlier: /* @__PURE__ */ earlierSuccess(
    'webhook_exists',
    'id',
    'url',
    'outcome',
    'events',
    'filter',
    'format',
    'has_secret',
    'has_headers',
  ),
});

/** Test a webhook. Sends a ping to a registered URL, signed as its deliveries are, and returns how it responded. A ping changes nothing about the webhook. */
export const testWebhook: (
  connection: Connection,
  input: TestWebhookInput,
  options?: CallOptions,
) => Call<WebhookTest, TestWebhookProblems> = /* @__PURE__ */ operation({
  name: 'testWebhook',
  method: 'POST',
  path: '/api/webhooks/bots/test',
});

/** Remove a webhook. Anyone who knows the URL may remove the webhook. `?url=` works, too. */
export const removeWebhook: (
  connection: Connection,
  input: RemoveWebhookInput,
  options?: CallOptions,
) => Call<RemovedWebhook, RemoveWebhookProblems> = /* @__PURE__ */ operation({
  name: 'removeWebhook',
  method: 'DELETE',
  path: '/api/webhooks/bots',
  earlier: /* @__PURE__ */ earlierSuccess('webhook_not_found', 'url'),
});

/** Stream events. Server-Sent Events: `data` is the envelope, with its `id`; `event` is its type. If the log no longer has that event, a `gap` comes first, then all events. A `position` has no envelope: its `id` is where to resume. Read by `streamEvents`. */
export const streamEventsRoute: Route = {
  name: 'streamEvents',
  method: 'GET',
  path: '/api/events/stream',
  query: ['after', 'category', 'integration', 'author', 'q', 'type', 'include'],
  accept: 'text/event-stream, application/problem+json',
};

/** Read the state of a webhook. For anyone who knows the URL. */
export const getWebhookStatus: (
  connection: Connection,
  input: GetWebhookStatusInput,
  options?: CallOptions,
) => Call<WebhookStatus, GetWebhookStatusProblems> = /* @__PURE__ */ operation({
  name: 'getWebhookStatus',
  method: 'GET',
  path: '/api/webhooks/bots/status',
});

/** List the keys that verify deliveries. */
export const listWebhookKeys = (
  connection: Connection,
  options?: CallOptions,
): Call<WebhookKeys, ListWebhookKeysProblems> =>
  operation<WebhookKeys, ListWebhookKeysProblems>({
    name: 'listWebhookKeys',
    method: 'GET',
    path: '/api/webhooks/keys',
  })(connection, {}, options);
