/** What each page is made from: plain, raw values. The pages format them, the same for everybody. */
import type {
  Bot,
  BotPreview,
  BotSort,
  CategoryCount,
  FieldError,
  IntegrationCount,
  Post,
  ProblemCode,
} from '@bot-directory/contract';
import type { Wish } from './parts/wish.ts';

export type { Wish };

/** Names an integration. `written`: how somebody writes it, in case the directory does not know. */
export type NameIntegration = (slug: string, written?: string) => string;

/** What all pages share. `baseUrl` has no trailing slash; the assets are paths. */
export type Frame = {
  readonly name: string;
  readonly description: string;
  /** The operator's contact, as a `mailto:` or `https:` URL. */
  readonly contact: string | undefined;
  readonly baseUrl: string;
  readonly templateHost: string;
  /** The origin to which an install redirects. */
  readonly installOrigin: string;
  readonly socialHost: string;
  /** Those that have a page: the current ones, and former names that redirect. */
  readonly categories: readonly string[];
  readonly integrationName: NameIntegration;
  /** `reviewed`: a bot waits for the operator's approval. `closed`: nothing can be saved. */
  readonly submissions: 'open' | 'reviewed' | 'closed';
  /** Paths; those of `docs` are for the API reference alone, that of `forms` for what is submitted or registered. */
  readonly assets: {
    readonly styles: string;
    readonly script: string;
    readonly docsStyles: string;
    readonly docsScript: string;
    readonly formsScript: string;
    readonly icon: string;
  };
};

/** A visitor's query, as in the URL. */
export type DirectoryQuery = {
  readonly q: string;
  readonly categories: readonly string[];
  readonly integrations: readonly string[];
  readonly author: string | undefined;
  /** ISO 8601. */
  readonly updatedSince: string | undefined;
  readonly sort: BotSort;
};

/** A name that no bot has, and names of the same kind that are like it. */
export type UnknownName = {
  readonly kind: 'category' | 'integration' | 'author';
  readonly name: string;
  readonly near: readonly string[];
};

/** What an author has in the directory. */
export type AuthorTile = { readonly author: string; readonly bots: number; readonly installs: number };

/** One page of a list: `before` counts the entries of earlier pages; `previous` and `next` are cursors. */
type Paged = {
  readonly isFirstPage: boolean;
  readonly before: number;
  /** `undefined` if the page before is the first. */
  readonly previous: string | undefined;
  readonly next: string | undefined;
  readonly total: number;
};

/** A category, with its most installed bots. */
export type CategoryTile = CategoryCount & { readonly first: readonly Pick<Bot, 'slug' | 'name'>[] };

/** The order by which a shelf takes its bots. */
export type ShelfSort = Extract<BotSort, 'trending' | 'installs' | 'newest'>;

/** Bots of one kind on the home page. */
export type Shelf = { readonly sort: ShelfSort; readonly bots: readonly Bot[] };

/** What the home page has above its list. */
export type Shelves = { readonly categories: readonly CategoryTile[]; readonly rows: readonly Shelf[] };

/**
 * One page of the directory, with the categories and integrations of the bots that match. `total` counts these, `size`
 * all bots.
 */
export type DirectoryView = Paged & {
  readonly page: 'directory';
  /** With one typing error forgiven or with fewer words, if nothing matches what was typed. */
  readonly query: DirectoryQuery;
  readonly typed: string;
  /** On an author's page; `since` (ISO 8601) is when their first bot was listed. */
  readonly author: (AuthorTile & { readonly posts: number; readonly since: string }) | undefined;
  /** The words of what was typed that the bots need not have. */
  readonly leftOut: readonly string[];
  /** Names in the query that no bot has. */
  readonly unknown: readonly UnknownName[];
  /** What may have been meant by a query with few results. */
  readonly suggestion: { readonly q: string; readonly total: number } | undefined;
  readonly bots: readonly Bot[];
  readonly size: number;
  readonly categories: readonly CategoryCount[];
  readonly integrations: readonly IntegrationCount[];
  /** Undefined on all pages but the home page, and for few bots. */
  readonly shelves: Shelves | undefined;
  /** Whether any bot was installed in the last seven days. */
  readonly isTrending: boolean;
  /** The largest categories of all, for a query that selects nothing. */
  readonly suggested: readonly string[];
};

/** A form's values as they were typed, and their errors. */
export type FormState = {
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Refused fields: JSON pointers, as the API names them. */
  readonly errors: readonly FieldError[];
  /** The error of the whole form. */
  readonly problem: FormProblem | undefined;
};

/** Nothing typed, no errors. */
export const emptyForm: FormState = { values: {}, errors: [], problem: undefined };

/** Fields whose values are never sent back: they are typed again. */
export const secretFields: readonly string[] = ['secret', 'headers'];

/** A refusal that belongs to no field. */
export type FormProblem = {
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  readonly retryAfterSec: number | undefined;
};

/**
 * A bot, with posts about it, similar bots, others by its author, and older ones of the same name. `updatedAt` (ISO
 * 8601) is when it last changed. `forms` is undefined if nothing can be saved.
 */
export type BotView = {
  readonly page: 'bot';
  readonly bot: Bot;
  readonly posts: readonly Post[];
  readonly updatedAt: string;
  /** Shown on paper, where Install is no button. */
  readonly templateUrl: string;
  readonly related: readonly Bot[];
  readonly others: readonly Bot[];
  readonly namesakes: readonly Bot[];
  /** The day (ISO 8601) on which the template was last read, and whether it was found. */
  readonly template: { readonly checkedOn: string; readonly found: 'found' | 'missing' | 'unavailable' };
  readonly forms: BotForms | undefined;
};

/** The forms of a bot's page, by the last part of the path that each is sent to. */
export type BotForm = 'reports' | 'integrations' | 'refresh';

/** What the forms of a bot's page offer, and the one that was refused. */
export type BotForms = {
  readonly reasons: readonly string[];
  /** Integrations that the bot may lack. */
  readonly suggestions: readonly string[];
  readonly refused: { readonly name: BotForm; readonly form: FormState } | undefined;
};

/** A bot that was removed. Instants are ISO 8601. */
export type RemovedView = {
  readonly page: 'removed';
  readonly slug: string;
  readonly reason: string;
  readonly removedAt: string | undefined;
};

/**
 * The form for a new bot. `preview`: what it would publish; `suggested`: categories for it; `found`: integrations of
 * this link's template that were not unticked. `existing` is the bot that already exists; `isPending`: it waits for
 * approval.
 */
export type SubmitView = {
  readonly page: 'submit';
  readonly isPending?: boolean;
  readonly preview?: BotPreview | undefined;
  readonly suggested?: readonly string[];
  readonly found?: readonly string[] | undefined;
  /** How the integrations of the preview are written, by slug. */
  readonly written?: ReadonlyMap<string, string> | undefined;
  readonly form: FormState;
  readonly existing: Bot | undefined;
  readonly categories: readonly string[];
};

/** A bot, and when it last changed (ISO 8601); an install is no change. */
export type ChangedBot = Bot & { readonly changedAt: string };

/** A post of the showcase, with the bots that it announces. `addedAt` is ISO 8601. */
export type ShowcasePost = Post & {
  readonly addedAt: string;
  readonly bots: readonly Bot[];
  /** Whether its author has bots here. */
  readonly isByAuthor: boolean;
};

/** One page of the showcase, and its forms: one adds a post, the other reports one. */
export type ShowcaseView = Paged & {
  readonly page: 'showcase';
  readonly posts: readonly ShowcasePost[];
  readonly form: FormState;
  readonly report: FormState;
  /** Reasons of a report. */
  readonly reasons: readonly string[];
};

/** The result of a form about a webhook. Knowing its URL authorises its removal, so it is shown only to the sender. */
export type WebhookResult =
  | {
      readonly of: 'register';
      readonly id: string;
      readonly url: string;
      /** Whether it is new, was changed, or continues now. */
      readonly outcome: string;
      readonly wish: Wish;
      readonly format: string;
      readonly hasSecret: boolean;
      readonly hasHeaders: boolean;
    }
  | { readonly of: 'remove'; readonly url: string }
  | {
      readonly of: 'test';
      readonly url: string;
      readonly isAccepted: boolean;
      readonly detail: string;
      readonly durationMs: number;
    }
  | {
      readonly of: 'status';
      readonly url: string;
      readonly state: string;
      readonly wish: Wish;
      readonly format: string | null;
      readonly failures: number;
      readonly pending: number;
      readonly lastFailure: string | null;
      readonly nextAttemptAt: string | null;
      /** The newest first, with a status or why there is none. */
      readonly attempts: readonly { readonly at: string; readonly result: string; readonly durationMs: number }[];
      /** Ids of events that the endpoint refused while it accepted others, the newest first. */
      readonly skipped: readonly string[];
    };

/** `resume` is a button of a status. */
export type WebhookAction = 'register' | 'status' | 'remove' | 'test' | 'resume';

/**
 * How to subscribe, with its two forms. `samples`: what a service is sent of the newest bot, or of an example.
 * `pingFailure`: why a ping failed.
 */
export type WebhooksView = {
  readonly page: 'webhooks';
  readonly samples: { readonly json: string; readonly cloudEvent: string };
  readonly retryDelaysMs: readonly number[];
  readonly timeoutMs: number;
  readonly action: WebhookAction | undefined;
  readonly form: FormState;
  readonly pingFailure: string | undefined;
  readonly result: WebhookResult | undefined;
};

/** Every category in use. */
export type CategoriesView = { readonly page: 'categories'; readonly categories: readonly CategoryTile[] };

/** One page of the authors, or of those whose handles have `q`. */
export type AuthorsView = Paged & {
  readonly page: 'authors';
  readonly q: string;
  readonly authors: readonly AuthorTile[];
};

/** Every integration in use. */
export type IntegrationsView = { readonly page: 'integrations'; readonly integrations: readonly IntegrationCount[] };

/** The API reference, made from an OpenAPI 3.1 document. */
export type DocsView = {
  readonly page: 'docs';
  readonly document: object;
  readonly problems: readonly ProblemText[];
};

/** An error code and what it means. */
export type ProblemText = {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
};

/** What an error code means, and a problem that has it. */
export type ProblemView = ProblemText & {
  readonly page: 'problem';
  readonly code: ProblemCode;
  readonly example: object;
};

/** How the directory works and what it keeps. */
export type AboutView = { readonly page: 'about' };

/** How a listing is corrected or removed. */
export type CorrectionsView = { readonly page: 'corrections' };

/** The guide for subscribers, in parts: HTML, and code whose label names it for screen readers. */
export type Guide = readonly ({ readonly html: string } | { readonly label: string; readonly code: string })[];

/** How to run, test and move a subscriber. */
export type SubscribingView = { readonly page: 'subscribing'; readonly guide: Guide };

/** An error. `words` is what the visitor may have looked for. */
export type FailureView = {
  readonly page: 'failure';
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  readonly retryAfterSec: number | undefined;
  readonly errors: readonly FieldError[];
  readonly words: string;
};

/** Every page. */
export type View =
  | DirectoryView
  | BotView
  | RemovedView
  | SubmitView
  | ShowcaseView
  | WebhooksView
  | CategoriesView
  | IntegrationsView
  | AuthorsView
  | DocsView
  | ProblemView
  | AboutView
  | CorrectionsView
  | SubscribingView
  | FailureView;
