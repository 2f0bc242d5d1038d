/** Every page in every state that it has. */
import { openApi, problems } from '@bot-directory/contract';
import { guide } from '../scripts/guide.ts';
import type { BotForm, DirectoryView, FormState, Frame, Shelves, View } from '../src/views.ts';
import { botOf, categories, hostile } from './samples.ts';

const bots = Array.from({ length: 24 }, (_, n) => botOf(n));
const nothing: FormState = { values: {}, errors: [], problem: undefined };
const away: FormState = {
  ...nothing,
  problem: {
    code: 'store_unavailable',
    detail: 'The store does not answer now.',
    requestId: 'req_1',
    retryAfterSec: 5,
  },
};
const wrong = (...pointers: string[]): FormState => ({
  ...nothing,
  errors: pointers.map((pointer) => ({ pointer, detail: 'is required' })),
});
const directory: DirectoryView = {
  page: 'directory',
  query: { q: '', categories: [], integrations: [], author: undefined, updatedSince: undefined, sort: 'newest' },
  typed: '',
  leftOut: [],
  unknown: [],
  suggestion: undefined,
  author: undefined,
  isFirstPage: true,
  before: 0,
  previous: undefined,
  bots,
  total: 1_000,
  size: 1_000,
  next: 'cursor',
  categories: categories.map((name, n) => ({ name, count: n })),
  integrations: [{ slug: 'slack', count: 12 }],
  isTrending: true,
  shelves: undefined,
  suggested: ['SEO'],
};
const shelves: Shelves = {
  categories: categories.slice(0, 6).map((name, n) => ({ name, count: 40 - n, first: bots.slice(n, n + 3) })),
  rows: [
    { sort: 'trending', bots: bots.slice(0, 6) },
    { sort: 'installs', bots: bots.slice(6, 12) },
    { sort: 'newest', bots: bots.slice(12, 18) },
  ],
};
/** The page of a bot. */
export const botView = {
  page: 'bot',
  bot: botOf(3),
  posts: [{ id: 'post_1', url: 'https://x.com/ada/status/1' }],
  updatedAt: '2026-11-21T09:30:00.000Z',
  templateUrl: 'https://templates.example.com/bot/3',
  related: bots.slice(4, 7),
  others: [bots[7] ?? botOf(7)],
  namesakes: [],
  template: { checkedOn: '2026-11-21', found: 'found' },
  forms: { reasons: ['spam', 'broken_link'], suggestions: ['gmail', 'slack'], refused: undefined },
} as const;
const refusedBot = (name: BotForm, form: FormState): View => ({
  ...botView,
  forms: { ...botView.forms, refused: { name, form } },
});
/** The form for a new bot, before anything was sent. */
export const submitView = { page: 'submit', form: nothing, existing: undefined, categories } as const;
const everyNew = { events: ['bot.created'], category: [], integration: [], author: '', q: '' };
const webhooks = {
  page: 'webhooks',
  samples: { json: '{ "type": "bot.created" }', cloudEvent: '{}' },
  retryDelaysMs: [5_000, 30_000],
  timeoutMs: 10_000,
  action: undefined,
  form: nothing,
  pingFailure: undefined,
  result: undefined,
} as const;
const showcase = {
  page: 'showcase',
  isFirstPage: true,
  before: 0,
  previous: undefined,
  posts: [
    {
      id: 'post_1',
      url: 'https://x.com/ada/status/1',
      addedAt: '2026-11-21T00:00:00.000Z',
      bots: [hostile],
      isByAuthor: false,
    },
    { id: 'post_2', url: 'https://x.com/bo/status/2', addedAt: '2026-11-21T00:00:00.000Z', bots: [], isByAuthor: true },
  ],
  total: 1,
  next: undefined,
  form: nothing,
  report: nothing,
  reasons: ['spam', 'other'],
} as const;
const authors = {
  page: 'authors',
  q: '',
  isFirstPage: true,
  before: 0,
  previous: undefined,
  authors: ['@ada', '@Grace_H', hostile.author ?? ''].map((author, n) => ({ author, bots: 3 - n, installs: 40 * n })),
  total: 3,
  next: undefined,
} as const;
const failure = {
  page: 'failure',
  status: 404,
  code: 'not_found',
  detail: 'There is nothing at this path.',
  requestId: 'req_1',
  retryAfterSec: undefined,
  errors: [],
  words: 'weekly seo',
} as const;
const url = 'https://hooks.example.com/x';

/** State → view. */
export const views: Readonly<Record<string, View>> = {
  'the home page': { ...directory, shelves },
  'a home page of few bots': directory,
  'an empty directory': { ...directory, bots: [], total: 0, size: 0, next: undefined },
  'no result': {
    ...directory,
    query: { ...directory.query, q: hostile.name },
    typed: hostile.name,
    bots: [],
    total: 0,
    next: undefined,
  },
  'names that are not here': {
    ...directory,
    query: { ...directory.query, categories: ['Sale'], integrations: ['slak'], author: '@adda' },
    bots: [],
    total: 0,
    next: undefined,
    unknown: [
      { kind: 'category', name: 'Sale', near: ['Sales'] },
      { kind: 'integration', name: 'slak', near: ['slack'] },
      { kind: 'author', name: '@adda', near: [] },
    ],
  },
  'a sentence': {
    ...directory,
    query: { ...directory.query, q: 'meeting notes', sort: 'relevance' },
    typed: 'a bot for meeting notes',
    leftOut: ['bot', 'for'],
  },
  'a misspelt search': { ...directory, query: { ...directory.query, q: 'weekly', sort: 'relevance' }, typed: 'wekly' },
  'a search that may be misspelt': {
    ...directory,
    query: { ...directory.query, q: 'weekly', sort: 'relevance' },
    typed: 'weekly',
    suggestion: { q: hostile.name, total: 2 },
  },
  'every filter': {
    ...directory,
    query: {
      q: 'a',
      categories: ['SEO'],
      integrations: ['slack', 'zoom'],
      author: '@ada',
      updatedSince: undefined,
      sort: 'installs',
    },
    typed: 'a',
  },
  'the last page': { ...directory, isFirstPage: false, before: 976, previous: 'cursor', next: undefined },
  'a hostile list': {
    ...directory,
    bots: [hostile],
    shelves: {
      categories: [{ name: hostile.name, count: 1, first: [hostile] }],
      rows: [{ sort: 'trending', bots: [hostile] }],
    },
  },
  'a bot': botView,
  'a bot that says nothing': {
    ...botView,
    bot: { ...botOf(0), description: '', author: null, source_url: null },
    forms: undefined,
  },
  'a hostile bot': { ...botView, bot: hostile, related: [hostile] },
  'a bot with older namesakes': { ...botView, namesakes: [hostile, { ...botOf(1), author: null }] },
  'a bot without its template': { ...botView, template: { checkedOn: '2026-11-21', found: 'missing' } },
  'a refused report': refusedBot('reports', wrong('/reason', '/text')),
  'a refused integration': refusedBot('integrations', { ...wrong('/integrations'), values: { integrations: ['"'] } }),
  'a refresh while the provider is away': refusedBot('refresh', away),
  'a removed bot': { page: 'removed', slug: 'gone', reason: hostile.name, removedAt: '2026-11-21T00:00:00.000Z' },
  'the submit form': submitView,
  'a refused submission': {
    ...submitView,
    form: { ...wrong('/link', '/categories'), values: { link: [hostile.name] } },
  },
  'a preview': { ...submitView, preview: botOf(1) },
  'a hostile preview': { ...submitView, preview: hostile },
  'a known bot': { ...submitView, existing: botOf(1) },
  'a submission that waits': { ...submitView, isPending: true },
  'a submission that will be reviewed': submitView,
  'a submission without a store': submitView,
  'an empty directory without a store': { ...directory, bots: [], total: 0, size: 0, next: undefined },
  'a submission while the provider is away': { ...submitView, form: away },
  'the webhooks page': webhooks,
  'the webhooks page with a real bot': {
    ...webhooks,
    samples: { json: JSON.stringify(hostile, undefined, 2), cloudEvent: '' },
  },
  'a registered webhook': {
    ...webhooks,
    action: 'register',
    result: {
      of: 'register',
      id: 'wh_1',
      url,
      outcome: 'added',
      wish: everyNew,
      format: '',
      hasSecret: true,
      hasHeaders: true,
    },
  },
  'a tested webhook': {
    ...webhooks,
    action: 'test',
    result: { of: 'test', url, isAccepted: false, detail: 'It responded with 503.', durationMs: 35 },
  },
  'a resumed webhook whose ping failed': {
    ...webhooks,
    action: 'resume',
    form: {
      ...away,
      problem: {
        code: 'webhook_ping_failed',
        detail: 'It did not respond.',
        requestId: 'req_1',
        retryAfterSec: undefined,
      },
    },
    pingFailure: 'timeout',
  },
  'a removed webhook': { ...webhooks, action: 'remove', result: { of: 'remove', url } },
  'a stopped webhook': {
    ...webhooks,
    action: 'status',
    result: {
      of: 'status',
      url,
      state: 'stopped',
      failures: 10,
      pending: 3,
      lastFailure: 'Its name does not resolve.',
      nextAttemptAt: null,
      attempts: [
        { at: '2026-11-21T05:58:35.166Z', result: '503', durationMs: 1_035 },
        { at: '2026-11-21T05:58:30.000Z', result: hostile.name, durationMs: 4 },
      ],
      skipped: ['evt_01M7YB0MGAKQ9YF0ZQ8J5NN2V3'],
      wish: {
        events: ['bot.created', 'bot.removed'],
        category: ['SEO', 'Marketing'],
        integration: ['slack'],
        author: '@ada',
        q: 'weekly report',
      },
      format: 'discord',
    },
  },
  'a refused webhook': { ...webhooks, action: 'register', form: wrong('/url') },
  'a refused filter': {
    ...webhooks,
    action: 'register',
    form: {
      ...wrong('/filter/category/0', '/filter/author'),
      values: { 'filter/category': ['Nothing'], 'filter/author': [hostile.name], events: ['bot.removed'] },
    },
  },
  'a failed ping': {
    ...webhooks,
    action: 'register',
    form: {
      ...away,
      problem: { code: 'webhook_ping_failed', detail: '', requestId: 'req_1', retryAfterSec: undefined },
    },
    pingFailure: 'forbidden_address',
  },
  'the showcase': showcase,
  'an empty showcase': { ...showcase, posts: [], total: 0 },
  'a refused post': { ...showcase, form: wrong('/url') },
  'a refused report of a post': { ...showcase, report: wrong('/url', '/reason') },
  'all categories': { page: 'categories', categories: shelves.categories },
  'all authors': authors,
  'a search for authors': { ...authors, q: 'ada', isFirstPage: false, before: 60, previous: undefined, next: '120' },
  'no author': { ...authors, q: hostile.name, authors: [], total: 0 },
  'an author': {
    ...directory,
    query: { ...directory.query, author: '@ada' },
    author: { author: '@ada', bots: 1_000, installs: 12_345, posts: 3, since: '2026-11-21T00:00:00.000Z' },
  },
  'a hostile author': {
    ...directory,
    query: { ...directory.query, author: hostile.author ?? '' },
    author: { author: hostile.author ?? '', bots: 1, installs: 0, posts: 0, since: '2026-11-21T00:00:00.000Z' },
  },
  'all integrations': {
    page: 'integrations',
    integrations: [
      { slug: 'slack', count: 2 },
      { slug: '1password', count: 1 },
    ],
  },
  'the API reference': {
    page: 'docs',
    document: openApi('https://directory.example.com'),
    problems: Object.entries(problems).map(([code, problem]) => ({ code, ...problem })),
  },
  'an error code': {
    page: 'problem',
    code: 'bot_exists',
    ...problems.bot_exists,
    example: { code: 'bot_exists', slug: 'weekly-report', url: '/bots/weekly-report' },
  },
  about: { page: 'about' },
  corrections: { page: 'corrections' },
  'the guide for subscribers': { page: 'subscribing', guide: guide() },
  'nothing there': failure,
  'a directory that is away': { ...failure, status: 500, code: 'directory_unavailable', retryAfterSec: 5, words: '' },
  'a bad parameter': {
    ...failure,
    status: 400,
    code: 'invalid_request',
    errors: [{ pointer: '?sort', detail: 'must be one of newest, installs' }],
  },
};

/** The frames of states that need one of their own. */
export const frames: Readonly<Record<string, Partial<Frame>>> = {
  'a submission that will be reviewed': { submissions: 'reviewed' },
  'a submission without a store': { submissions: 'closed' },
  'an empty directory without a store': { submissions: 'closed' },
};
