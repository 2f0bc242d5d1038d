/** The package's exports. Each operation is also a function of its own, for bundles that need only a few. */
export type { Answer, Breakdown, Call, Outcome, Refusal, Success } from './call.ts';
export {
  type BotOperations,
  type Client,
  createClient,
  type EventOperations,
  type EventWith,
  type FeedOperations,
  type IncludedField,
  type Including,
  type WebhookOperations,
  type With,
} from './client.ts';
export { type CustomRoute, request } from './custom-request.ts';
export {
  AbortedError,
  ApiError,
  BotDirectoryError,
  DecodeError,
  isApiError,
  NetworkError,
  TimeoutError,
} from './errors.ts';
export type { ApiErrorAt, ErrorCode, ErrorContext } from './errors.ts';
export {
  isKnownEvent,
  type KnownTypesOptions,
  streamEvents,
  type StreamOptions,
  type UnknownEvent,
} from './event-stream.ts';
export {
  addIntegrations,
  addPost,
  addWebhook,
  countFacets,
  getBot,
  getWebhookStatus,
  listBots,
  listCategories,
  listEvents,
  listIntegrations,
  listPosts,
  listWebhookKeys,
  refreshBot,
  removeWebhook,
  reportBot,
  reportPost,
  submitBot,
  testWebhook,
} from './operations.gen.ts';
export type { HeaderValues } from './headers.ts';
export { connect } from './options.ts';
export type {
  CallOptions,
  ClientOptions,
  Connection,
  FailureEvent,
  Fetch,
  FetchedResponse,
  FetchOptions,
  Hooks,
  Logger,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  SharedOptions,
} from './options.ts';
export { type Page, type Pages, paginate, readPage } from './pages.ts';
export type * from './types.gen.ts';
