/**
 * The API's shapes, inputs and problems, from its contract.
 * Written by `npm run generate`; do not edit.
 */

/** A published bot. */
export interface Bot {
  /** Directory id, of the form bot_<ULID>. */
  id: string;
  /** URL slug. Never changes and is never reused. */
  slug: string;
  /** Display name taken from the template provider; at most 100 characters. */
  name: string;
  /** Short summary taken from the template provider; at most 500 characters. */
  description: string;
  /** Social-platform handle such as `@handle`, or null. */
  author: string | null;
  /** Directory page, of the form {base_url}/bots/<slug>. */
  url: string;
  /** Social-platform status URL, or null. */
  source_url: string | null;
  /** Integration slugs used by the bot; at most 24. */
  integrations: string[];
  /** Directory categories; at most 3. */
  categories: string[];
  /** Times the bot was added through the site's install action. */
  install_count: number;
  /** When the bot was added: ISO 8601, UTC, with milliseconds. */
  created_at: string;
}

/** A bot was published; `data` is the bot as the list shows it when the event is sent. */
export interface BotCreatedEvent {
  /** Event id, of the form evt_<ULID>. The same in every attempt. */
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** The event type. */
  type: 'bot.created';
  /** The bot. */
  data: Bot;
}

/** A published bot, when it changed, and where its template is. */
export interface BotDetails {
  /** Directory id, of the form bot_<ULID>. */
  id: string;
  /** URL slug. Never changes and is never reused. */
  slug: string;
  /** Display name taken from the template provider; at most 100 characters. */
  name: string;
  /** Short summary taken from the template provider; at most 500 characters. */
  description: string;
  /** Social-platform handle such as `@handle`, or null. */
  author: string | null;
  /** Directory page, of the form {base_url}/bots/<slug>. */
  url: string;
  /** Social-platform status URL, or null. */
  source_url: string | null;
  /** Integration slugs used by the bot; at most 24. */
  integrations: string[];
  /** Directory categories; at most 3. */
  categories: string[];
  /** Times the bot was added through the site's install action. */
  install_count: number;
  /** When the bot was added: ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** When the bot was added, or last changed but for installs: ISO 8601, UTC, with milliseconds. */
  updated_at: string;
  /** Its template link. */
  template_url: string;
}

/** The bot that a submission would publish now: all but its id. */
export interface BotPreview {
  /** URL slug. Never changes and is never reused. */
  slug: string;
  /** Display name taken from the template provider; at most 100 characters. */
  name: string;
  /** Short summary taken from the template provider; at most 500 characters. */
  description: string;
  /** Social-platform handle such as `@handle`, or null. */
  author: string | null;
  /** Directory page, of the form {base_url}/bots/<slug>. */
  url: string;
  /** Social-platform status URL, or null. */
  source_url: string | null;
  /** Integration slugs used by the bot; at most 24. */
  integrations: string[];
  /** Directory categories; at most 3. */
  categories: string[];
  /** Times the bot was added through the site's install action. */
  install_count: number;
  /** When the bot was added: ISO 8601, UTC, with milliseconds. */
  created_at: string;
}

/** A bot left the directory: the operator removed it, or hid it for now, or its template is gone. */
export interface BotRemovedEvent {
  /** Event id, of the form evt_<ULID>. The same in every attempt. */
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** The event type. */
  type: 'bot.removed';
  /** Which bot, and why. */
  data: {
    /** Directory id, of the form bot_<ULID>. */
    id: string;
    /** URL slug. Never changes and is never reused. */
    slug: string;
    /** Why the operator removed it; null if it is hidden for now; `template_gone` until the provider has its template again. */
    reason: string | null;
  };
}

/** A bot that had left the directory is back; `data` is the bot as the list shows it when the event is sent. */
export interface BotRestoredEvent {
  /** Event id, of the form evt_<ULID>. The same in every attempt. */
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** The event type. */
  type: 'bot.restored';
  /** The bot. */
  data: Bot;
}

/** A listed bot was refreshed from its template or corrected by the operator; `data` is the bot as the list shows it when the event is sent. */
export interface BotUpdatedEvent {
  /** Event id, of the form evt_<ULID>. The same in every attempt. */
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** The event type. */
  type: 'bot.updated';
  /** The bot. */
  data: Bot;
}

/** A category and how many bots are in it. */
export interface CategoryCount {
  /** As it is spelled on bots. */
  name: string;
  /** Bots in it. */
  count: number;
}

/** An event in the log. New types may be added. */
export type DirectoryEvent = BotCreatedEvent | BotUpdatedEvent | BotRemovedEvent | BotRestoredEvent;

/** How many of the selected bots are in each category, and use each integration. */
export interface Facets {
  /** Every category, whichever of them the filter names: how many bots another choice would find. */
  categories: CategoryCount[];
  /** Those that the selected bots use, the most used first. */
  integrations: IntegrationCount[];
}

/** One refused field. */
export interface FieldError {
  /** JSON pointer (RFC 6901) into the body, or `?name` for a query parameter. */
  pointer: string;
  /** Why it was refused, in words. */
  detail: string;
}

/** An integration in use and how many bots use it. */
export interface IntegrationCount {
  /** As it is spelled on bots. */
  slug: string;
  /** Bots that use it. */
  count: number;
}

/** A published bot, with those of its last two fields that `include` names. */
export interface ListedBot {
  /** Directory id, of the form bot_<ULID>. */
  id: string;
  /** URL slug. Never changes and is never reused. */
  slug: string;
  /** Display name taken from the template provider; at most 100 characters. */
  name: string;
  /** Short summary taken from the template provider; at most 500 characters. */
  description: string;
  /** Social-platform handle such as `@handle`, or null. */
  author: string | null;
  /** Directory page, of the form {base_url}/bots/<slug>. */
  url: string;
  /** Social-platform status URL, or null. */
  source_url: string | null;
  /** Integration slugs used by the bot; at most 24. */
  integrations: string[];
  /** Directory categories; at most 3. */
  categories: string[];
  /** Times the bot was added through the site's install action. */
  install_count: number;
  /** When the bot was added: ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** When the bot was added, or last changed but for installs: ISO 8601, UTC, with milliseconds. */
  updated_at?: string;
  /** Its template link. */
  template_url?: string;
}

/** A bot's integrations after a merge. */
export interface MergedIntegrations {
  /** URL slug of the bot. */
  slug: string;
  /** Directory path, of the form /bots/<slug>. */
  url: string;
  /** All integration slugs of the bot, in no particular order. */
  integrations: string[];
}

/** A social-platform status in the showcase feed. */
export interface Post {
  /** Saved post id, of the form post_<ULID>. */
  id: string;
  /** Canonical status URL, of the form https://{social_host}/<handle>/status/<status_id>. */
  url: string;
}

/** Any error response. New codes may appear: handle an unknown one by its status. */
export interface Problem extends ProblemOf<string> {
  /** With `webhook_ping_failed`: why it failed: dns, connect, tls, timeout, response, status, forbidden_address. With `bot_gone`: the reason, in words. */
  reason?: string;
  /** With `bot_exists` and `bot_removed`: the slug of that bot. */
  slug?: string;
  /** With `bot_exists` and `bot_removed`: its path, of the form /bots/<slug>. With `post_exists`: its canonical URL. With `webhook_exists`: canonical HTTPS URL that receives POSTs. */
  url?: string;
  /** With `bot_exists`:  */
  created_at?: string;
  /** With `bot_exists`: true while that bot waits for approval: it is not listed yet. */
  pending?: boolean;
  /** With `post_exists`: the id of the existing one. With `webhook_exists`: saved webhook id, of the form wh_<ULID>. */
  id?: string;
  /** With `webhook_exists`: `added`: it is new. `replaced`: it was registered, and what is new is in force. `resumed`: it was stopped or waited for a retry, and is sent its next event now. `unchanged`: only in a 409. */
  outcome?: 'added' | 'replaced' | 'resumed' | 'unchanged' | (string & {});
  /** With `webhook_exists`: the types sent to it. */
  events?: Array<'bot.created' | 'bot.updated' | 'bot.removed' | 'bot.restored' | (string & {})>;
  /** With `webhook_exists`: its filter, or null. */
  filter?: {
    /** Names: bots in any of them. */
    category: string[];
    /** Slugs: bots with all of them. */
    integration: string[];
    /** The author, or null. */
    author: string | null;
    /** Words, or an empty text. */
    q: string;
  } | null;
  /** With `webhook_exists`: its format, or null. */
  format?: 'slack' | 'discord' | 'teams' | 'google-chat' | 'cloudevents' | (string & {}) | null;
  /** With `webhook_exists`: whether it has a secret. */
  has_secret?: boolean;
  /** With `webhook_exists`: whether it has headers. */
  has_headers?: boolean;
}

/** The codes of errors that this version knows. */
export type ProblemCode =
  | 'invalid_request'
  | 'unreadable_json'
  | 'too_many_integrations'
  | 'webhook_ping_failed'
  | 'malformed_request'
  | 'submission_blocked'
  | 'not_found'
  | 'bot_not_found'
  | 'post_not_found'
  | 'template_not_found'
  | 'webhook_not_found'
  | 'event_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'bot_exists'
  | 'post_exists'
  | 'webhook_exists'
  | 'bot_removed'
  | 'bot_gone'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'rate_limited'
  | 'too_many_webhooks'
  | 'headers_too_large'
  | 'internal_error'
  | 'directory_unavailable'
  | 'saving_not_configured'
  | 'submissions_closed'
  | 'store_unavailable'
  | 'template_provider_unavailable';

/** An error response (RFC 9457) with one of these codes. */
export interface ProblemOf<Code extends string> {
  /** URI reference of a page that explains the code. */
  type: string;
  /** The same for every problem of one code. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** What went wrong this time, in words. */
  detail: string;
  /** Identifies this request in the logs; also in `X-Request-Id`. */
  request_id: string;
  /** The fields that were refused, for invalid input: all of them, or the first 20; `detail` counts the rest. */
  errors?: FieldError[];
  /** Stable, machine-readable. */
  code: Code | (string & {});
}

/** Where a bot was published. */
export interface PublishedBot {
  /** URL slug of the bot. */
  slug: string;
  /** Directory path, of the form /bots/<slug>. */
  url: string;
  /** True where the operator approves each bot before it is listed. */
  pending?: boolean;
  /** Only after `dry_run`: the bot that would be published. */
  preview?: BotPreview;
}

/** What the last reading of a bot's template changed. */
export interface RefreshedBot {
  /** URL slug of the bot. */
  slug: string;
  /** Directory path, of the form /bots/<slug>. */
  url: string;
  /** The fields that differed from the template and now equal it; [] if none did. */
  changed: Array<'name' | 'description' | 'integrations' | (string & {})>;
  /** When the template was read: ISO 8601, UTC, with milliseconds. */
  checked_at: string;
}

/** The webhook that was removed. */
export interface RemovedWebhook {
  /** The URL removed. */
  url: string;
}

/** A report that was sent to the operator. */
export interface Report {
  /** Report id, of the form rep_<ULID>. */
  id: string;
  /** The bot reported. */
  slug: string;
}

/** A registered webhook. */
export interface Webhook {
  /** Saved webhook id, of the form wh_<ULID>. */
  id: string;
  /** Canonical HTTPS URL that receives POSTs. */
  url: string;
  /** `added`: it is new. `replaced`: it was registered, and what is new is in force. `resumed`: it was stopped or waited for a retry, and is sent its next event now. `unchanged`: only in a 409. */
  outcome: 'added' | 'replaced' | 'resumed' | 'unchanged' | (string & {});
  /** The types sent to it. */
  events: Array<'bot.created' | 'bot.updated' | 'bot.removed' | 'bot.restored' | (string & {})>;
  /** Its filter, or null. */
  filter: {
    /** Names: bots in any of them. */
    category: string[];
    /** Slugs: bots with all of them. */
    integration: string[];
    /** The author, or null. */
    author: string | null;
    /** Words, or an empty text. */
    q: string;
  } | null;
  /** Its format, or null. */
  format: 'slack' | 'discord' | 'teams' | 'google-chat' | 'cloudevents' | (string & {}) | null;
  /** Whether it has a secret. */
  has_secret: boolean;
  /** Whether it has headers. */
  has_headers: boolean;
}

/** The public keys in force, newest first. Several while a key is rotated. */
export interface WebhookKeys {
  /** Newest first. */
  keys: {
    /** Identifies the key: the first characters of its SHA-256. */
    id: string;
    /** The signature algorithm. */
    algorithm: 'ed25519';
    /** whpk_ and the 32 raw bytes in base64 (Standard Webhooks). */
    public_key: string;
  }[];
}

/** The status of deliveries to a webhook. */
export interface WebhookStatus {
  /** The canonical URL. */
  url: string;
  /** `stopped` after 10 failures in a row; register again to resume. */
  state: 'active' | 'stopped' | (string & {});
  /** Failed deliveries since the last success. */
  failures_in_a_row: number;
  /** The types sent to it. */
  events: Array<'bot.created' | 'bot.updated' | 'bot.removed' | 'bot.restored' | (string & {})>;
  /** Its filter, or null. */
  filter: {
    /** Names: bots in any of them. */
    category: string[];
    /** Slugs: bots with all of them. */
    integration: string[];
    /** The author, or null. */
    author: string | null;
    /** Words, or an empty text. */
    q: string;
  } | null;
  /** Its format, or null. */
  format: 'slack' | 'discord' | 'teams' | 'google-chat' | 'cloudevents' | (string & {}) | null;
  /** Whether it has a secret. */
  has_secret: boolean;
  /** Whether it has headers. */
  has_headers: boolean;
  /** Events that it lacks, of the next 1,000 in the log. */
  pending_events: number;
  /** Category of the last failure since a success, or null. */
  last_failure:
    | 'dns'
    | 'connect'
    | 'tls'
    | 'timeout'
    | 'response'
    | 'status'
    | 'forbidden_address'
    | (string & {})
    | null;
  /** When the next retry is due (ISO 8601), or null. */
  next_attempt_at: string | null;
  /** The last ten attempts, newest first. */
  last_attempts: Array<{
    /** When its result was saved (ISO 8601). */
    attempted_at: string;
    /** The status of the response, or null if there was none. */
    status: number | null;
    /** Why it failed, or null if it was accepted. */
    failure: 'dns' | 'connect' | 'tls' | 'timeout' | 'response' | 'status' | 'forbidden_address' | (string & {}) | null;
    /** How long it took, in milliseconds. */
    duration_ms: number;
  }>;
  /** The last ten events that it refused while it accepted others, newest first. */
  skipped_events: Array<{
    /** Id of the event, which stays in the event log. */
    id: string;
    /** Category of its last failure. */
    failure: 'dns' | 'connect' | 'tls' | 'timeout' | 'response' | 'status' | 'forbidden_address' | (string & {});
    /** When it was skipped (ISO 8601). */
    skipped_at: string;
  }>;
}

/** How an endpoint responded to a ping. */
export interface WebhookTest {
  /** The canonical URL. */
  url: string;
  /** The status of the response, or null if there was none. */
  status: number | null;
  /** Why it failed, or null if it was accepted. */
  failure: 'dns' | 'connect' | 'tls' | 'timeout' | 'response' | 'status' | 'forbidden_address' | (string & {}) | null;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** What happened, in words. */
  detail: string;
}

/** What `listBots` takes. */
export interface ListBotsInput {
  /** Entries per page. Without it there is no limit. */
  limit?: number | undefined;
  /** Where to continue, from the `Link` header. Opaque. */
  cursor?: string | undefined;
  /** Category name. Repeat the parameter to select bots in any of several: `category=SEO&category=Marketing`. */
  category?: string | readonly string[] | undefined;
  /** Integration name or slug. Repeat the parameter to select bots with all of several: `integration=slack&integration=gmail`. */
  integration?: string | readonly string[] | undefined;
  /** Handle, with or without its `@`, such as `@ada_l`. */
  author?: string | undefined;
  /** Words, each of which must begin a word of the bot, in any case and without accents; at most 12. */
  q?: string | undefined;
  /** Template link: the bot that was made from its template. */
  link?: string | undefined;
  /** Bots that were added, changed or restored at or after this instant. */
  updated_since?: string | Date | undefined;
  /** `newest` (the default), `updated` (last change), `trending` (installs of 7 days), `installs`, or `relevance`: how well name, author and integrations match `q`, then installs. */
  sort?: 'newest' | 'updated' | 'trending' | 'installs' | 'relevance' | undefined;
  /** Fields that the bots have in addition. Several are separated by commas, or the parameter is repeated. */
  include?: 'updated_at' | 'template_url' | ReadonlyArray<'updated_at' | 'template_url'> | undefined;
}

/** Responses of `listBots` other than success, by status. */
export interface ListBotsProblems {
  /** Unchanged: the call sent this ETag in `If-None-Match`. */
  304: undefined;
  /** `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'invalid_request'>;
  /** `directory_unavailable`: The directory cannot be loaded right now; try again. `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'directory_unavailable' | 'internal_error'>;
}

/** What `countFacets` takes. */
export interface CountFacetsInput {
  /** Category name. Repeat the parameter to select bots in any of several: `category=SEO&category=Marketing`. */
  category?: string | readonly string[] | undefined;
  /** Integration name or slug. Repeat the parameter to select bots with all of several: `integration=slack&integration=gmail`. */
  integration?: string | readonly string[] | undefined;
  /** Handle, with or without its `@`, such as `@ada_l`. */
  author?: string | undefined;
  /** Words, each of which must begin a word of the bot, in any case and without accents; at most 12. */
  q?: string | undefined;
  /** Template link: the bot that was made from its template. */
  link?: string | undefined;
  /** Bots that were added, changed or restored at or after this instant. */
  updated_since?: string | Date | undefined;
}

/** Responses of `countFacets` other than success, by status. */
export interface CountFacetsProblems {
  /** Unchanged: the call sent this ETag in `If-None-Match`. */
  304: undefined;
  /** `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'invalid_request'>;
  /** `directory_unavailable`: The directory cannot be loaded right now; try again. `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'directory_unavailable' | 'internal_error'>;
}

/** What `getBot` takes. */
export interface GetBotInput {
  /** URL slug of a bot. */
  slug: string;
}

/** Responses of `getBot` other than success, by status. */
export interface GetBotProblems {
  /** Unchanged: the call sent this ETag in `If-None-Match`. */
  304: undefined;
  /** `bot_not_found`: No bot has this slug. */
  404: ProblemOf<'bot_not_found'>;
  /** `bot_gone`: The operator removed this bot; `reason` says why. */
  410: ProblemOf<'bot_gone'> & {
    /** The reason, in words. */
    reason: string;
  };
  /** `directory_unavailable`: The directory cannot be loaded right now; try again. `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'directory_unavailable' | 'internal_error'>;
}

/** What `listPosts` takes. */
export interface ListPostsInput {
  /** Entries per page. Without it there is no limit. */
  limit?: number | undefined;
  /** Where to continue, from the `Link` header. Opaque. */
  cursor?: string | undefined;
}

/** Responses of `listPosts` other than success, by status. */
export interface ListPostsProblems {
  /** Unchanged: the call sent this ETag in `If-None-Match`. */
  304: undefined;
  /** `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'invalid_request'>;
  /** `directory_unavailable`: The directory cannot be loaded right now; try again. `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'directory_unavailable' | 'internal_error'>;
}

/** Responses of `listCategories` other than success, by status. */
export interface ListCategoriesProblems {
  /** Unchanged: the call sent this ETag in `If-None-Match`. */
  304: undefined;
  /** `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'invalid_request'>;
  /** `directory_unavailable`: The directory cannot be loaded right now; try again. `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'directory_unavailable' | 'internal_error'>;
}

/** Responses of `listIntegrations` other than success, by status. */
export interface ListIntegrationsProblems {
  /** Unchanged: the call sent this ETag in `If-None-Match`. */
  304: undefined;
  /** `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'invalid_request'>;
  /** `directory_unavailable`: The directory cannot be loaded right now; try again. `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'directory_unavailable' | 'internal_error'>;
}

/** What `listEvents` takes. */
export interface ListEventsInput {
  /** The last event id the caller has. Without it, the oldest events are returned first. */
  after?: string | undefined;
  /** Events per response; 200 by default. */
  limit?: number | undefined;
  /** As in the list. */
  category?: string | readonly string[] | undefined;
  /** As in the list. */
  integration?: string | readonly string[] | undefined;
  /** As in the list. */
  author?: string | undefined;
  /** As in the list. */
  q?: string | undefined;
  /** Event type. */
  type?: string | readonly string[] | undefined;
  /** Fields that the bots have in addition. Several are separated by commas, or the parameter is repeated. */
  include?: 'updated_at' | 'template_url' | ReadonlyArray<'updated_at' | 'template_url'> | undefined;
}

/** Responses of `listEvents` other than success, by status. */
export interface ListEventsProblems {
  /** Unchanged: the call sent this ETag in `If-None-Match`. */
  304: undefined;
  /** `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'invalid_request'>;
  /** `event_not_found`: The event log has no such event: it never existed, or is too old. */
  404: ProblemOf<'event_not_found'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable'>;
}

/** What `submitBot` takes. */
export interface SubmitBotInput {
  /** Template URL, of the form https://{template_host}/bot/<template_id>. */
  link: string;
  /** Social-platform status URL. */
  source_url?: string | null | undefined;
  /** Social-platform handle, with or without its `@`. */
  author?: string | null | undefined;
  /** Names or slugs, at most 24 different ones. When omitted, the template provider's are used; [] means none. */
  integrations?: readonly string[] | null | undefined;
  /** Up to 3 different category names, in any case. */
  categories?: readonly string[] | null | undefined;
  /** True: check everything, publish nothing, and return the bot as `preview`. */
  dry_run?: boolean | null | undefined;
}

/** Responses of `submitBot` other than success, by status. */
export interface SubmitBotProblems {
  /** `unreadable_json`: The body is not JSON in UTF-8. `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. `submission_blocked`: The operator blocks this template, author, host or text. */
  400: ProblemOf<'unreadable_json' | 'invalid_request' | 'submission_blocked'>;
  /** `template_not_found`: The template provider has no template at this link. */
  404: ProblemOf<'template_not_found'>;
  /** `bot_exists`: The template was submitted before, as `slug` at `url`. `bot_removed`: The template was in the directory, as `slug` at `url`, until the operator removed it. */
  409: ProblemOf<'bot_exists' | 'bot_removed'> & {
    /** The slug of that bot. */
    slug: string;
    /** Its path, of the form /bots/<slug>. */
    url: string;
    /** When that bot was published (ISO 8601, UTC). */
    created_at?: string;
    /** True while that bot waits for approval: it is not listed yet. */
    pending?: boolean;
  };
  /** `body_too_large`: The body is larger than 32 KB. */
  413: ProblemOf<'body_too_large'>;
  /** `unsupported_media_type`: The body must be JSON, sent with `Content-Type: application/json`. */
  415: ProblemOf<'unsupported_media_type'>;
  /** `rate_limited`: The caller has sent too many writes; try again after `Retry-After` seconds. */
  429: ProblemOf<'rate_limited'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. `submissions_closed`: The operator accepts nothing new right now; try again after `Retry-After` seconds. `template_provider_unavailable`: The template provider gave no readable response; try again after `Retry-After` seconds. */
  503: ProblemOf<
    'saving_not_configured' | 'store_unavailable' | 'submissions_closed' | 'template_provider_unavailable'
  >;
}

/** What `addIntegrations` takes. */
export interface AddIntegrationsInput {
  /** URL slug of a bot. */
  slug: string;
  /** Names or slugs to add. Those already on the bot are skipped. */
  integrations: readonly string[];
}

/** Responses of `addIntegrations` other than success, by status. */
export interface AddIntegrationsProblems {
  /** `unreadable_json`: The body is not JSON in UTF-8. `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. `too_many_integrations`: The bot would have more than 24 integrations; nothing was added. */
  400: ProblemOf<'unreadable_json' | 'invalid_request' | 'too_many_integrations'>;
  /** `bot_not_found`: No bot has this slug. */
  404: ProblemOf<'bot_not_found'>;
  /** `bot_gone`: The operator removed this bot; `reason` says why. */
  410: ProblemOf<'bot_gone'> & {
    /** The reason, in words. */
    reason: string;
  };
  /** `body_too_large`: The body is larger than 32 KB. */
  413: ProblemOf<'body_too_large'>;
  /** `unsupported_media_type`: The body must be JSON, sent with `Content-Type: application/json`. */
  415: ProblemOf<'unsupported_media_type'>;
  /** `rate_limited`: The caller has sent too many writes; try again after `Retry-After` seconds. */
  429: ProblemOf<'rate_limited'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable'>;
}

/** What `refreshBot` takes. */
export interface RefreshBotInput {
  /** URL slug of a bot. */
  slug: string;
}

/** Responses of `refreshBot` other than success, by status. */
export interface RefreshBotProblems {
  /** `unreadable_json`: The body is not JSON in UTF-8. `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. `submission_blocked`: The operator blocks this template, author, host or text. */
  400: ProblemOf<'unreadable_json' | 'invalid_request' | 'submission_blocked'>;
  /** `bot_not_found`: No bot has this slug. `template_not_found`: The template provider has no template at this link. */
  404: ProblemOf<'bot_not_found' | 'template_not_found'>;
  /** `bot_gone`: The operator removed this bot; `reason` says why. */
  410: ProblemOf<'bot_gone'> & {
    /** The reason, in words. */
    reason: string;
  };
  /** `body_too_large`: The body is larger than 32 KB. */
  413: ProblemOf<'body_too_large'>;
  /** `unsupported_media_type`: The body must be JSON, sent with `Content-Type: application/json`. */
  415: ProblemOf<'unsupported_media_type'>;
  /** `rate_limited`: The caller has sent too many writes; try again after `Retry-After` seconds. */
  429: ProblemOf<'rate_limited'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. `template_provider_unavailable`: The template provider gave no readable response; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable' | 'template_provider_unavailable'>;
}

/** What `reportBot` takes. */
export interface ReportBotInput {
  /** URL slug of a bot. */
  slug: string;
  /** What is wrong. */
  reason: 'spam' | 'malware' | 'illegal' | 'impersonation' | 'broken' | 'correction' | 'my-own' | 'other';
  /** More details for the operator. */
  text?: string | null | undefined;
}

/** Responses of `reportBot` other than success, by status. */
export interface ReportBotProblems {
  /** `unreadable_json`: The body is not JSON in UTF-8. `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'unreadable_json' | 'invalid_request'>;
  /** `bot_not_found`: No bot has this slug. */
  404: ProblemOf<'bot_not_found'>;
  /** `bot_gone`: The operator removed this bot; `reason` says why. */
  410: ProblemOf<'bot_gone'> & {
    /** The reason, in words. */
    reason: string;
  };
  /** `body_too_large`: The body is larger than 32 KB. */
  413: ProblemOf<'body_too_large'>;
  /** `unsupported_media_type`: The body must be JSON, sent with `Content-Type: application/json`. */
  415: ProblemOf<'unsupported_media_type'>;
  /** `rate_limited`: The caller has sent too many writes; try again after `Retry-After` seconds. */
  429: ProblemOf<'rate_limited'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable'>;
}

/** What `addPost` takes. */
export interface AddPostInput {
  /** Status URL, of the form https://{social_host}/<handle>/status/<status_id>. */
  url: string;
}

/** Responses of `addPost` other than success, by status. */
export interface AddPostProblems {
  /** `unreadable_json`: The body is not JSON in UTF-8. `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. `submission_blocked`: The operator blocks this template, author, host or text. */
  400: ProblemOf<'unreadable_json' | 'invalid_request' | 'submission_blocked'>;
  /** `post_exists`: A post with this status id is in the feed, as `id` at `url`. */
  409: ProblemOf<'post_exists'> & {
    /** The id of the existing one. */
    id: string;
    /** Its canonical URL. */
    url: string;
  };
  /** `body_too_large`: The body is larger than 32 KB. */
  413: ProblemOf<'body_too_large'>;
  /** `unsupported_media_type`: The body must be JSON, sent with `Content-Type: application/json`. */
  415: ProblemOf<'unsupported_media_type'>;
  /** `rate_limited`: The caller has sent too many writes; try again after `Retry-After` seconds. */
  429: ProblemOf<'rate_limited'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. `submissions_closed`: The operator accepts nothing new right now; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable' | 'submissions_closed'>;
}

/** What `reportPost` takes. */
export interface ReportPostInput {
  /** What is wrong. */
  reason: 'spam' | 'malware' | 'illegal' | 'impersonation' | 'broken' | 'correction' | 'my-own' | 'other';
  /** More details for the operator. */
  text?: string | null | undefined;
  /** Status URL, of the form https://{social_host}/<handle>/status/<status_id>. */
  url: string;
}

/** Responses of `reportPost` other than success, by status. */
export interface ReportPostProblems {
  /** `unreadable_json`: The body is not JSON in UTF-8. `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'unreadable_json' | 'invalid_request'>;
  /** `post_not_found`: The feed has no post of this status. */
  404: ProblemOf<'post_not_found'>;
  /** `body_too_large`: The body is larger than 32 KB. */
  413: ProblemOf<'body_too_large'>;
  /** `unsupported_media_type`: The body must be JSON, sent with `Content-Type: application/json`. */
  415: ProblemOf<'unsupported_media_type'>;
  /** `rate_limited`: The caller has sent too many writes; try again after `Retry-After` seconds. */
  429: ProblemOf<'rate_limited'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable'>;
}

/** What `addWebhook` takes. */
export interface AddWebhookInput {
  /** An HTTPS endpoint on a public address. */
  url: string;
  /** whsec_ and 24 to 64 random bytes in base64. It signs deliveries, too (`v1`). */
  secret?: string | null | undefined;
  /** Sent with every delivery. */
  headers?: Record<string, string> | null | undefined;
  /** Only events of bots that match all of it are sent. Null: the default. */
  filter?:
    | {
        /** Names: bots in any of them. */
        category?: readonly string[] | null | undefined;
        /** Names or slugs: bots with all of them. */
        integration?: readonly string[] | null | undefined;
        /** A handle, with or without its `@`. */
        author?: string | null | undefined;
        /** Words, as in the list. */
        q?: string | null | undefined;
      }
    | null
    | undefined;
  /** Event types; `bot.created` by default. Null: the default. */
  events?: ReadonlyArray<'bot.created' | 'bot.updated' | 'bot.removed' | 'bot.restored'> | null | undefined;
  /** Instead of the envelope. Null: the default. */
  format?: 'slack' | 'discord' | 'teams' | 'google-chat' | 'cloudevents' | null | undefined;
  /** Skips the event that failed. */
  resume?: 'next' | null | undefined;
}

/** Responses of `addWebhook` other than success, by status. */
export interface AddWebhookProblems {
  /** `unreadable_json`: The body is not JSON in UTF-8. `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. `submission_blocked`: The operator blocks this template, author, host or text. `webhook_ping_failed`: The URL did not respond to the ping with a 2xx status; `reason` says why. Nothing was saved. */
  400: ProblemOf<'unreadable_json' | 'invalid_request' | 'submission_blocked' | 'webhook_ping_failed'> & {
    /** Why it failed: dns, connect, tls, timeout, response, status, forbidden_address. */
    reason?: 'dns' | 'connect' | 'tls' | 'timeout' | 'response' | 'status' | 'forbidden_address' | (string & {});
  };
  /** `webhook_exists`: The URL is registered and active, as the members say, and nothing is new; it was not pinged. */
  409: ProblemOf<'webhook_exists'> & {
    /** Saved webhook id, of the form wh_<ULID>. */
    id: string;
    /** Canonical HTTPS URL that receives POSTs. */
    url: string;
    /** `added`: it is new. `replaced`: it was registered, and what is new is in force. `resumed`: it was stopped or waited for a retry, and is sent its next event now. `unchanged`: only in a 409. */
    outcome: 'added' | 'replaced' | 'resumed' | 'unchanged' | (string & {});
    /** The types sent to it. */
    events: Array<'bot.created' | 'bot.updated' | 'bot.removed' | 'bot.restored' | (string & {})>;
    /** Its filter, or null. */
    filter: {
      /** Names: bots in any of them. */
      category: string[];
      /** Slugs: bots with all of them. */
      integration: string[];
      /** The author, or null. */
      author: string | null;
      /** Words, or an empty text. */
      q: string;
    } | null;
    /** Its format, or null. */
    format: 'slack' | 'discord' | 'teams' | 'google-chat' | 'cloudevents' | (string & {}) | null;
    /** Whether it has a secret. */
    has_secret: boolean;
    /** Whether it has headers. */
    has_headers: boolean;
  };
  /** `body_too_large`: The body is larger than 32 KB. */
  413: ProblemOf<'body_too_large'>;
  /** `unsupported_media_type`: The body must be JSON, sent with `Content-Type: application/json`. */
  415: ProblemOf<'unsupported_media_type'>;
  /** `rate_limited`: The caller has sent too many writes; try again after `Retry-After` seconds. `too_many_webhooks`: The host of this URL has reached its limit of webhooks. */
  429: ProblemOf<'rate_limited' | 'too_many_webhooks'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable'>;
}

/** What `testWebhook` takes. */
export interface TestWebhookInput {
  /** An HTTPS endpoint on a public address. */
  url: string;
}

/** Responses of `testWebhook` other than success, by status. */
export interface TestWebhookProblems {
  /** `unreadable_json`: The body is not JSON in UTF-8. `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. `submission_blocked`: The operator blocks this template, author, host or text. */
  400: ProblemOf<'unreadable_json' | 'invalid_request' | 'submission_blocked'>;
  /** `webhook_not_found`: No webhook is registered for this URL. */
  404: ProblemOf<'webhook_not_found'>;
  /** `body_too_large`: The body is larger than 32 KB. */
  413: ProblemOf<'body_too_large'>;
  /** `unsupported_media_type`: The body must be JSON, sent with `Content-Type: application/json`. */
  415: ProblemOf<'unsupported_media_type'>;
  /** `rate_limited`: The caller has sent too many writes; try again after `Retry-After` seconds. */
  429: ProblemOf<'rate_limited'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable'>;
}

/** What `removeWebhook` takes. */
export interface RemoveWebhookInput {
  /** An HTTPS endpoint on a public address. */
  url: string;
}

/** Responses of `removeWebhook` other than success, by status. */
export interface RemoveWebhookProblems {
  /** `unreadable_json`: The body is not JSON in UTF-8. `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'unreadable_json' | 'invalid_request'>;
  /** `webhook_not_found`: No webhook is registered for this URL. */
  404: ProblemOf<'webhook_not_found'>;
  /** `body_too_large`: The body is larger than 32 KB. */
  413: ProblemOf<'body_too_large'>;
  /** `unsupported_media_type`: The body must be JSON, sent with `Content-Type: application/json`. */
  415: ProblemOf<'unsupported_media_type'>;
  /** `rate_limited`: The caller has sent too many writes; try again after `Retry-After` seconds. */
  429: ProblemOf<'rate_limited'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable'>;
}

/** What `streamEvents` takes. */
export interface StreamEventsInput {
  /** The last event id the caller has; `Last-Event-ID` takes precedence. Without either, only later events. */
  after?: string | undefined;
  /** As in the list. */
  category?: string | readonly string[] | undefined;
  /** As in the list. */
  integration?: string | readonly string[] | undefined;
  /** As in the list. */
  author?: string | undefined;
  /** As in the list. */
  q?: string | undefined;
  /** Event type. */
  type?: string | readonly string[] | undefined;
  /** Fields that the bots have in addition. Several are separated by commas, or the parameter is repeated. */
  include?: 'updated_at' | 'template_url' | ReadonlyArray<'updated_at' | 'template_url'> | undefined;
}

/** Responses of `streamEvents` other than success, by status. */
export interface StreamEventsProblems {
  /** `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'invalid_request'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable'>;
}

/** What `getWebhookStatus` takes. */
export interface GetWebhookStatusInput {
  /** An HTTPS endpoint on a public address. */
  url: string;
}

/** Responses of `getWebhookStatus` other than success, by status. */
export interface GetWebhookStatusProblems {
  /** `invalid_request`: A field or parameter is missing or not valid; `errors` lists each one, up to 20. */
  400: ProblemOf<'invalid_request'>;
  /** `webhook_not_found`: No webhook is registered for this URL. */
  404: ProblemOf<'webhook_not_found'>;
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable'>;
}

/** Responses of `listWebhookKeys` other than success, by status. */
export interface ListWebhookKeysProblems {
  /** `internal_error`: The service failed; `request_id` identifies the error in its logs. */
  500: ProblemOf<'internal_error'>;
  /** `saving_not_configured`: The service runs without a store, so nothing can be saved. `store_unavailable`: The store is not responding; try again after `Retry-After` seconds. */
  503: ProblemOf<'saving_not_configured' | 'store_unavailable'>;
}
