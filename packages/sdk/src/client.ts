/** The client: every operation, bound to one connection and grouped by resource. */
import { type Call, withHidden } from './call.ts';
import { type CustomRoute, request } from './custom-request.ts';
import { type KnownTypesOptions, streamEvents, type StreamOptions, type UnknownEvent } from './event-stream.ts';
import { mergeHeaders } from './headers.ts';
import * as operations from './operations.gen.ts';
import { type CallOptions, type ClientOptions, connect, type Connection, given } from './options.ts';
import { iterable, type Page, paginate, type Pages, readPage } from './pages.ts';
import type * as T from './types.gen.ts';

/** The directory's API. Every method takes one input, then options for that call. */
export interface Client {
  /** Bots: read, publish, refresh and add integrations. */
  bots: BotOperations;
  /** The showcase feed. */
  feed: FeedOperations;
  /** Webhooks: register, inspect and remove them, and get the keys that verify deliveries. */
  webhooks: WebhookOperations;
  /** The events that webhooks receive, without a webhook. */
  events: EventOperations;
  /**
   * Lists every category, with its number of bots.
   * @example
   * for (const { name, count } of await directory.categories()) console.log(name, count);
   */
  categories(options?: CallOptions): Call<T.CategoryCount[], T.ListCategoriesProblems>;
  /**
   * Lists every integration in use, the most used first.
   * @example
   * const [mostUsed] = await directory.integrations();
   * console.log(mostUsed?.slug);
   */
  integrations(options?: CallOptions): Call<T.IntegrationCount[], T.ListIntegrationsProblems>;
  /**
   * Returns the address of a bot's page: that of a bot, of what was submitted, or of the bot in a conflict. The API
   * names it by its path, `/bots/<slug>`, in all but a bot.
   * @example
   * const published = await directory.bots.submit({ link: 'https://templates.example.com/bot/weekly-seo-report' }).safe();
   * if (published.ok) console.log(directory.urlOf(published.data));
   * else if (published.status === 409) console.log(directory.urlOf(published.problem));
   */
  urlOf(named: { readonly url: string }): string;
  /**
   * Calls a route that this version does not know. POST and PATCH are not retried unless `retries` is given.
   * @example
   * const route = { method: 'GET', path: '/api/bots/:slug' } as const;
   * const bot = await directory.request<{ name: string }>(route, { slug: 'weekly-seo-report' });
   * console.log(bot.name);
   */
  request<Data, Problems = object>(route: CustomRoute, input?: object, options?: CallOptions): Call<Data, Problems>;
  /**
   * Makes another client, whose options are this client's, overridden by these. Headers are merged; an option that is
   * undefined overrides nothing.
   * @example
   * const patient = directory.withOptions({ retries: 5, deadlineMs: 300_000 });
   * console.log((await patient.bots.list()).length);
   */
  withOptions(options: Partial<ClientOptions>): Client;
}

/** A field that bots have in lists only if `include` names it. */
export type IncludedField = Exclude<keyof T.BotDetails, keyof T.Bot>;
/** An input that names such fields. */
export type Including<Input, Field extends IncludedField> = Input & {
  /** Which fields the bots have in addition. */
  include: Field | Field[];
};
/** A bot that has them. */
export type With<Field extends IncludedField> = T.Bot & Pick<T.BotDetails, Field>;

/** An event whose bot has them; a removal has no bot. */
export type EventWith<Field extends IncludedField> = T.DirectoryEvent extends infer Event
  ? Event extends Record<'data', T.Bot>
    ? Omit<Event, 'data'> & {
        /** The bot. */
        data: With<Field>;
      }
    : Event
  : never;

/** Bots: read, publish, refresh and add integrations. */
export interface BotOperations {
  /**
   * Lists bots with the fields that `include` names.
   * @example
   * const bots = await directory.bots.list({ include: ['updated_at', 'template_url'], limit: 20 });
   * console.log(bots.map((bot) => bot.template_url));
   */
  list<const Field extends IncludedField>(
    input: Including<T.ListBotsInput, Field>,
    options?: CallOptions,
  ): Call<With<Field>[], T.ListBotsProblems> & AsyncIterable<With<Field>>;
  /**
   * Lists bots, newest first: all that match the filters, or one page of them when there is a `limit`.
   * @example
   * const bots = await directory.bots.list({ q: 'report', limit: 20 });
   * console.log(bots.map((bot) => bot.name));
   */
  list(input?: T.ListBotsInput, options?: CallOptions): Call<T.Bot[], T.ListBotsProblems> & AsyncIterable<T.Bot>;
  /** Reads one page of bots with the fields that `include` names. */
  page<const Field extends IncludedField>(
    input: Including<T.ListBotsInput, Field>,
    options?: CallOptions,
  ): Promise<Page<With<Field>>>;
  /**
   * Reads one page: 100 bots, unless there is a `limit`.
   * @example
   * const page = await directory.bots.page({ category: 'Marketing', limit: 20 });
   * console.log(`${page.items.length} of ${page.total}`);
   * if (page.hasMore) console.log((await page.next())?.items);
   */
  page(input?: T.ListBotsInput, options?: CallOptions): Promise<Page<T.Bot>>;
  /** Iterates over bots with the fields that `include` names. */
  iterate<const Field extends IncludedField>(
    input: Including<T.ListBotsInput, Field>,
    options?: CallOptions,
  ): Pages<With<Field>>;
  /**
   * Iterates over the same bots one by one. Each page is requested when the loop reaches it.
   * @example
   * for await (const bot of directory.bots.iterate({ category: 'Marketing' })) {
   *   console.log(bot.name, bot.url);
   * }
   * @example
   * for await (const page of directory.bots.iterate({ limit: 20 }).byPage()) {
   *   console.log(`${page.items.length} of ${page.total}, go on from ${page.cursor}`);
   *   break;
   * }
   */
  iterate(input?: T.ListBotsInput, options?: CallOptions): Pages<T.Bot>;
  /**
   * Counts the bots that match a filter by category and by integration, for choices that narrow a list further.
   * @example
   * const { categories, integrations } = await directory.bots.facets({ q: 'report' });
   * console.log(categories.map(({ name, count }) => `${name} (${count})`), integrations[0]?.slug);
   */
  facets(input?: T.CountFacetsInput, options?: CallOptions): Call<T.Facets, T.CountFacetsProblems>;
  /**
   * Gets one bot, with the time of its last change and its template link.
   * @example
   * const outcome = await directory.bots.get({ slug: 'weekly-seo-report' }).safe();
   * if (outcome.ok) console.log(outcome.data.name);
   * else if (outcome.status === 404) console.log('no such bot');
   * else throw outcome.error;
   */
  get(input: string | T.GetBotInput, options?: CallOptions): Call<T.BotDetails, T.GetBotProblems>;
  /**
   * Publishes the bot that a template link points to. Its name and description come from the template provider. With
   * `dry_run: true` it publishes nothing, and returns the bot as `preview`.
   * @example
   * const link = 'https://templates.example.com/bot/invoice-chaser';
   * const outcome = await directory.bots.submit({ link, categories: ['Marketing'] }).safe();
   * if (outcome.ok) console.log(`published at ${outcome.data.url}`);
   * else if (outcome.status === 409) console.log(`already listed at ${outcome.error.problem.url}`);
   * else throw outcome.error;
   * @example
   * const link = 'https://templates.example.com/bot/language-tutor';
   * const { preview } = await directory.bots.submit({ link, dry_run: true });
   * console.log(preview?.name, preview?.description);
   */
  submit(input: string | T.SubmitBotInput, options?: CallOptions): Call<T.PublishedBot, T.SubmitBotProblems>;
  /**
   * Adds integrations to a bot, all or none; those it already has are skipped.
   * @example
   * const added = { slug: 'weekly-seo-report', integrations: ['Google Sheets'] };
   * const { integrations } = await directory.bots.addIntegrations(added);
   * console.log(integrations);
   */
  addIntegrations(
    input: T.AddIntegrationsInput,
    options?: CallOptions,
  ): Call<T.MergedIntegrations, T.AddIntegrationsProblems>;
  /**
   * Reads a bot's template again and updates the bot's name, description and integrations. A template is read at most
   * once every ten minutes; in between, the last result is returned.
   * @example
   * const { changed } = await directory.bots.refresh({ slug: 'weekly-seo-report' });
   * console.log(changed.length === 0 ? 'up to date' : changed.join(', '));
   */
  refresh(input: string | T.RefreshBotInput, options?: CallOptions): Call<T.RefreshedBot, T.RefreshBotProblems>;
  /**
   * Reports a bot to the operator. Only the operator sees the report, and it hides nothing by itself. If a response is
   * lost, the report is sent again: two of the same are better than none. `retries: 0` sends it once.
   * @example
   * await directory.bots.report({ slug: 'weekly-seo-report', reason: 'broken', text: 'The template is gone.' });
   */
  report(input: T.ReportBotInput, options?: CallOptions): Call<T.Report, T.ReportBotProblems>;
}

/** The showcase feed. */
export interface FeedOperations {
  /**
   * Adds a social-platform status to the feed.
   * @example
   * const outcome = await directory.feed.add({ url: 'https://x.com/somebody/status/1234567890' }).safe();
   * if (outcome.ok || outcome.status === 409) console.log('in the feed');
   */
  add(input: string | T.AddPostInput, options?: CallOptions): Call<T.Post, T.AddPostProblems>;
  /**
   * Lists posts, newest first: all, or one page when there is a `limit`.
   * @example
   * const posts = await directory.feed.list({ limit: 10 });
   * console.log(posts.map((post) => post.url));
   */
  list(input?: T.ListPostsInput, options?: CallOptions): Call<T.Post[], T.ListPostsProblems> & AsyncIterable<T.Post>;
  /**
   * Reads one page: 100 posts, unless there is a `limit`.
   * @example
   * const { items, total } = await directory.feed.page({ limit: 10 });
   * console.log(`${items.length} of ${total}`);
   */
  page(input?: T.ListPostsInput, options?: CallOptions): Promise<Page<T.Post>>;
  /**
   * Iterates over the same posts one by one. Each page is requested when the loop reaches it.
   * @example
   * for await (const post of directory.feed.iterate()) console.log(post.url);
   */
  iterate(input?: T.ListPostsInput, options?: CallOptions): Pages<T.Post>;
  /**
   * Reports a post to the operator, as `bots.report` reports a bot.
   * @example
   * const url = 'https://x.com/somebody/status/1234567890';
   * const outcome = await directory.feed.report({ url, reason: 'spam' }).safe();
   * if (outcome.ok || outcome.status === 404) console.log('reported, or not there');
   */
  report(input: T.ReportPostInput, options?: CallOptions): Call<T.Post, T.ReportPostProblems>;
}

/**
 * Webhooks. Anyone who knows a webhook's URL may read its status and remove it. Keep your own list: the API does not
 * list them.
 */
export interface WebhookOperations {
  /**
   * Registers a URL if it responds to a ping with 2xx. A webhook that was stopped after failures, or waits for a
   * retry, is resumed.
   * @example
   * const outcome = await directory.webhooks.add({ url: webhookUrl }).safe();
   * if (outcome.ok) console.log(`saved as ${outcome.data.id}`);
   * else if (outcome.status === 400) console.log(outcome.error.problem.reason ?? outcome.error.problem.errors);
   */
  add(input: string | T.AddWebhookInput, options?: CallOptions): Call<T.Webhook, T.AddWebhookProblems>;
  /**
   * Sends a ping to a registered URL, signed as its deliveries are.
   * @example
   * const { failure, detail } = await directory.webhooks.test(webhookUrl);
   * console.log(failure === null ? 'accepted' : detail);
   */
  test(input: string | T.TestWebhookInput, options?: CallOptions): Call<T.WebhookTest, T.TestWebhookProblems>;
  /**
   * Stops deliveries to the URL and removes it.
   * @example
   * const outcome = await directory.webhooks.remove({ url: webhookUrl }).safe();
   * if (!outcome.ok && outcome.status !== 404) throw outcome.error;
   */
  remove(input: string | T.RemoveWebhookInput, options?: CallOptions): Call<T.RemovedWebhook, T.RemoveWebhookProblems>;
  /**
   * Gets the status of deliveries to the URL.
   * @example
   * const outcome = await directory.webhooks.status({ url: webhookUrl }).safe();
   * if (outcome.ok && outcome.data.state === 'stopped') await directory.webhooks.add({ url: webhookUrl });
   */
  status(
    input: string | T.GetWebhookStatusInput,
    options?: CallOptions,
  ): Call<T.WebhookStatus, T.GetWebhookStatusProblems>;
  /**
   * Lists the public keys that verify deliveries.
   * @example
   * const { keys } = await directory.webhooks.keys();
   * console.log(keys.map((key) => key.public_key));
   */
  keys(options?: CallOptions): Call<T.WebhookKeys, T.ListWebhookKeysProblems>;
}

/** Events: what webhooks receive, without a webhook. */
export interface EventOperations {
  /** Lists events whose bots have the fields that `include` names. */
  list<const Field extends IncludedField>(
    input: Including<T.ListEventsInput, Field>,
    options?: CallOptions,
  ): Call<EventWith<Field>[], T.ListEventsProblems>;
  /**
   * Lists the events after a given one, oldest first, as webhooks receive them. Check `type`: the API may add types.
   * @example
   * const events = await directory.events.list({ limit: 50 });
   * console.log(events.map((event) => event.id));
   */
  list(input?: T.ListEventsInput, options?: CallOptions): Call<T.DirectoryEvent[], T.ListEventsProblems>;
  /** Streams events whose bots have the fields that `include` names. */
  stream<const Field extends IncludedField>(
    input: Including<T.StreamEventsInput, Field>,
    options?: KnownTypesOptions,
  ): AsyncGenerator<EventWith<Field>, void, undefined>;
  /**
   * Streams events as they happen, beginning with those after the given one. It reconnects by itself and resumes where
   * it stopped; end it with `break` or its `signal`. Save the last event's id to resume in another process.
   * @example
   * const [seen] = await directory.events.list({ limit: 1 });
   * for await (const event of directory.events.stream({ after: seen?.id })) {
   *   if (event.type === 'bot.created') console.log(event.data.name);
   *   break;
   * }
   */
  stream(input?: T.StreamEventsInput, options?: KnownTypesOptions): AsyncGenerator<T.DirectoryEvent, void, undefined>;
  /**
   * Streams events of every type if `unknownTypes` is true; `isKnownEvent` narrows to those that this version knows.
   */
  stream(
    input?: T.StreamEventsInput,
    options?: StreamOptions,
  ): AsyncGenerator<T.DirectoryEvent | UnknownEvent, void, undefined>;
}

/**
 * Makes a client. Nothing is sent until a method is called.
 *
 * @throws TypeError when `baseUrl` is not an absolute http or https URL.
 * @example
 * const directory = createClient({ baseUrl });
 * const newest = await directory.bots.list({ limit: 3 });
 * console.log(newest.map((bot) => bot.name));
 */
export const createClient = (options: ClientOptions): Client => {
  const connection = connect(options);
  const events = bind(connection, 'events.', { list: operations.listEvents, stream: streamEvents });
  const client: Client = {
    bots: bind(connection, 'bots.', {
      list: listing(iterable, operations.listBots),
      page: listing(readPage, operations.listBots),
      iterate: listing(paginate, operations.listBots),
      facets: operations.countFacets,
      get: withText('slug', operations.getBot),
      submit: withText('link', operations.submitBot),
      addIntegrations: operations.addIntegrations,
      refresh: withText('slug', operations.refreshBot),
      report: operations.reportBot,
    }),
    // What `include` adds is in the response, which is not checked.
    events: events as EventOperations,
    feed: bind(connection, 'feed.', {
      list: listing(iterable, operations.listPosts),
      page: listing(readPage, operations.listPosts),
      iterate: listing(paginate, operations.listPosts),
      add: withText('url', operations.addPost),
      report: operations.reportPost,
    }),
    webhooks: bind(connection, 'webhooks.', {
      add: withText('url', operations.addWebhook),
      test: withText('url', operations.testWebhook),
      remove: withText('url', operations.removeWebhook),
      status: withText('url', operations.getWebhookStatus),
      keys: operations.listWebhookKeys,
    }),
    ...bind(connection, '', { categories: operations.listCategories, integrations: operations.listIntegrations }),
    request: (...call) => request(connection, ...call),
    urlOf: ({ url }) => (url.startsWith('/') ? connection.baseUrl + url : url),
    withOptions: (more) =>
      createClient({ ...options, ...given(more), headers: mergeHeaders(options.headers, more.headers) }),
  };
  // Has a console show a client by its address and options. The values of headers may be secrets.
  const { baseUrl, retries, timeoutMs, deadlineMs, headers } = connection;
  const shown = { baseUrl, retries, timeoutMs, deadlineMs, headers: Object.keys(headers) };
  return withHidden(client, Symbol.for('nodejs.util.inspect.custom'), () => shown);
};

/** A method of the client, before it has a connection. */
type Unbound<Rest extends unknown[], Result> = (connection: Connection, ...rest: Rest) => Result;

/** Gives methods their connection, which names each of them in messages. */
const bind = <Methods extends Record<string, Unbound<never[], unknown>>>(
  connection: Connection,
  group: string,
  methods: Methods,
) =>
  Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      (...rest: never[]) => method({ ...connection, method: group + name }, ...rest),
    ]),
  ) as {
    [Name in keyof Methods]: Methods[Name] extends Unbound<infer Rest, infer Result>
      ? (...rest: Rest) => Result
      : never;
  };

/** Makes a method of an operation that requires one text, which may be given alone. */
const withText =
  <Name extends string, Input extends Record<Name, string>, Result>(
    name: Name,
    operation: (connection: Connection, input: Input, options?: CallOptions) => Result,
  ) =>
  (connection: Connection, input: string | Input, options?: CallOptions): Result =>
    operation(connection, typeof input === 'string' ? ({ [name]: input } as Input) : input, options);

/** Makes a method that reads an operation's list in a way: all of it, in pages, or in a loop. */
const listing =
  <Listed, Input, Result>(
    read: (list: (input: Input, options?: CallOptions) => Listed, input?: Input, options?: CallOptions) => Result,
    operation: (connection: Connection, input?: Input, options?: CallOptions) => Listed,
  ) =>
  (connection: Connection, input?: Input, options?: CallOptions): Result =>
    read((...call) => operation(connection, ...call), input, options);
