/**
 * The README's comparison with other libraries: every cell is measured here, by using them on a server that misbehaves.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundledSize } from '@bot-directory/check-runtimes/bundled-size';
import { kilobytes, tableRows } from '@bot-directory/check-runtimes/readme-table';
import ky from 'ky';
import { Octokit } from 'octokit';
import OpenAI from 'openai';
import createFetchClient from 'openapi-fetch';
import Stripe from 'stripe';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '@bot-directory/sdk';
import {
  type Behaviour,
  hang,
  hangBody,
  json,
  problem,
  reset,
  startMisbehavingServer,
} from '../../../packages/sdk/test/support/misbehaving-server.ts';

const here = import.meta.dirname;
let server: Awaited<ReturnType<typeof startMisbehavingServer>>;
beforeAll(async () => void (server = await startMisbehavingServer()));
afterAll(() => server.close());

type At = (baseUrl: string) => unknown;

/** One library, as its documentation says to use it. What it cannot do is left out. */
interface Library {
  name: string;
  from: string;
  /** What its user imports; its default export unless given. */
  main?: string;
  /** Reads something, with the defaults. */
  read: At;
  /** Writes something, with the defaults. */
  write: At;
  /** Reads once, for at most 200 ms. */
  limited?: At;
  /** Reads once, until the signal. */
  aborted?: (baseUrl: string, signal: AbortSignal) => unknown;
  /** The status of a refused read, without a `catch`. */
  value?: (baseUrl: string) => Promise<unknown>;
  /** A response header of a read, with its data. */
  header?: (baseUrl: string) => Promise<unknown>;
  /** The ids of two pages of one entry each, from one loop. */
  pages?: {
    answers: (baseUrl: () => string) => [Behaviour, Behaviour];
    ids: (baseUrl: string) => AsyncIterable<{ id: unknown }>;
  };
}

const entry = { id: 'a', slug: 'a' };
/** Stripe takes a host and no path: the path goes into its `fetch`. */
const stripe = (baseUrl: string, options: object = {}) =>
  new Stripe('sk_test', {
    httpClient: Stripe.createFetchHttpClient((url, init) => {
      const { pathname, search } = new URL(url instanceof Request ? url.url : url);
      return fetch(baseUrl + pathname + search, init);
    }),
    telemetry: false,
    ...options,
  });
const openai = (baseURL: string, options: object = {}) => new OpenAI({ apiKey: 'k', baseURL, ...options });
const octokit = (baseUrl: string, options: object = {}) =>
  new Octokit({ ...options, baseUrl, log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } });
const openapi = (baseUrl: string) =>
  createFetchClient<Record<string, Record<string, never>>>({ baseUrl }) as {
    GET(path: string, init?: object): Promise<{ response: Response }>;
    POST(path: string, init?: object): Promise<{ response: Response }>;
  };
const linked = (baseUrl: () => string): [Behaviour, Behaviour] => [
  (...exchange) => json(200, [entry], { link: `<${baseUrl()}/repositories?cursor=b>; rel="next"` })(...exchange),
  json(200, [{ ...entry, id: 'b' }]),
];
const list = (id: string, isLast: boolean) => ({
  object: 'list',
  data: [{ ...entry, id }],
  has_more: !isLast,
  url: '/v1/customers',
});
const more = (): [Behaviour, Behaviour] => [json(200, list('a', false)), json(200, list('b', true))];

const libraries: Library[] = [
  {
    name: 'this package',
    from: '../../../packages/sdk/dist/index.js',
    main: 'createClient',
    read: (baseUrl) => createClient({ baseUrl }).bots.list(),
    write: (baseUrl) => createClient({ baseUrl }).bots.submit({ link: 'l' }),
    limited: (baseUrl) => createClient({ baseUrl }).bots.list({}, { timeoutMs: 200, retries: 0 }),
    aborted: (baseUrl, signal) => createClient({ baseUrl }).bots.list({}, { signal }),
    value: async (baseUrl) => (await createClient({ baseUrl }).bots.get({ slug: 'a' }).safe()).status,
    header: async (baseUrl) => (await createClient({ baseUrl }).bots.list().withResponse()).response.headers.get('x-a'),
    pages: { answers: linked, ids: (baseUrl) => createClient({ baseUrl }).bots.iterate() },
  },
  {
    name: 'openai',
    from: 'openai',
    read: (baseUrl) => openai(baseUrl).files.list(),
    write: (baseUrl) => openai(baseUrl).chat.completions.create({ model: 'm', messages: [] }),
    limited: (baseUrl) => openai(baseUrl).files.list({}, { timeout: 200, maxRetries: 0 }),
    aborted: (baseUrl, signal) => openai(baseUrl).files.list({}, { signal }),
    header: async (baseUrl) => (await openai(baseUrl).files.list().withResponse()).response.headers.get('x-a'),
    pages: { answers: more, ids: (baseUrl) => openai(baseUrl).files.list() },
  },
  {
    name: 'stripe',
    from: 'stripe',
    read: (baseUrl) => stripe(baseUrl).customers.list(),
    write: (baseUrl) => stripe(baseUrl).customers.create({}),
    limited: (baseUrl) => stripe(baseUrl).customers.list({}, { timeout: 200, maxNetworkRetries: 0 }),
    header: async (baseUrl) => new Headers((await stripe(baseUrl).customers.list()).lastResponse.headers).get('x-a'),
    pages: { answers: more, ids: (baseUrl) => stripe(baseUrl).customers.list() },
  },
  {
    name: 'octokit',
    from: 'octokit',
    main: 'Octokit',
    read: (baseUrl) => octokit(baseUrl).rest.repos.listPublic(),
    write: (baseUrl) => octokit(baseUrl).rest.gists.create({ files: {} }),
    aborted: (baseUrl, signal) =>
      octokit(baseUrl, { retry: { enabled: false } }).rest.repos.listPublic({ request: { signal } }),
    header: async (baseUrl) => (await octokit(baseUrl).rest.repos.listPublic()).headers['x-a'],
    pages: {
      answers: linked,
      async *ids(baseUrl) {
        const pages = octokit(baseUrl).paginate.iterator('GET /repositories');
        for await (const { data } of pages) yield* data as { id: unknown }[];
      },
    },
  },
  {
    name: 'ky',
    from: 'ky',
    read: (baseUrl) => ky.get(baseUrl).json(),
    write: (baseUrl) => ky.post(baseUrl, { json: {} }).json(),
    limited: (baseUrl) => ky.get(baseUrl, { timeout: 200, retry: 0 }).json(),
    aborted: (baseUrl, signal) => ky.get(baseUrl, { signal }).json(),
    value: async (baseUrl) => (await ky.get(baseUrl, { throwHttpErrors: false })).status,
    header: async (baseUrl) => (await ky.get(baseUrl)).headers.get('x-a'),
  },
  {
    name: 'openapi-fetch',
    from: 'openapi-fetch',
    read: (baseUrl) => openapi(baseUrl).GET('/a'),
    write: (baseUrl) => openapi(baseUrl).POST('/a', { body: {} }),
    aborted: (baseUrl, signal) => openapi(baseUrl).GET('/a', { signal }),
    value: async (baseUrl) => (await openapi(baseUrl).GET('/a')).response.status,
    header: async (baseUrl) => (await openapi(baseUrl).GET('/a')).response.headers.get('x-a'),
  },
];

const sizeOf = async ({ from, main = 'default' }: Library): Promise<string> =>
  kilobytes(await bundledSize({ folder: here }, `export { ${main} } from '${from}';`));

/** Returns whether a second request arrives when the first fails in this way. */
const requests = async (call: At, first: Behaviour): Promise<boolean> => {
  const baseUrl = server.play(first, json(200, list('a', true)));
  await Promise.allSettled([call(baseUrl)]);
  return server.received(baseUrl).length > 1;
};

/** Returns whether the work fails within 5 seconds, which are long compared with its limit. */
const failsSoon = async (work: unknown): Promise<boolean> => {
  const patience = new AbortController();
  const failed = Promise.resolve(work).then(
    () => false,
    () => true,
  );
  const waited = sleep(5_000, false, { signal: patience.signal }).catch(() => false);
  return Promise.race([failed, waited]).finally(() => patience.abort());
};

const rows: [string, (library: Library) => Promise<string | boolean>][] = [
  ['minified and gzipped', sizeOf],
  [
    'packages that it installs',
    ({ from }) => {
      const path = from.startsWith('.') ? join(here, '../../../packages/sdk/package.json') : manifestOf(from);
      const { dependencies = {} } = JSON.parse(readFileSync(path, 'utf8')) as { dependencies?: object };
      return Promise.resolve(String(Object.keys(dependencies).length));
    },
  ],
  ['repeats a read after a 503', ({ read }) => requests(read, json(503, {}))],
  ['repeats a write without a response', ({ write }) => requests(write, reset)],
  [
    'its time limit holds for the body too',
    async ({ limited }) => limited !== undefined && failsSoon(limited(server.play(hangBody))),
  ],
  [
    'stops at your signal',
    async ({ aborted }) => aborted !== undefined && failsSoon(aborted(server.play(hang), AbortSignal.timeout(100))),
  ],
  ['a refusal as a value', async ({ value }) => (await value?.(server.play(problem(404, 'bot_not_found')))) === 404],
  [
    'the headers along with the data',
    async ({ header, from }) => {
      const body = from === 'stripe' ? list('a', true) : [];
      return (await header?.(server.play(json(200, body, { 'x-a': 'b' })))) === 'b';
    },
  ],
  [
    'one loop over all pages',
    async ({ pages }) => {
      if (pages === undefined) return false;
      const baseUrl: string = server.play(...pages.answers(() => baseUrl));
      const found = [];
      for await (const { id } of pages.ids(baseUrl)) found.push(id);
      return found.join() === 'a,b';
    },
  ],
];

const manifestOf = (name: string): string => {
  let folder = dirname(createRequire(import.meta.url).resolve(name));
  while (!folder.endsWith(`node_modules/${name}`)) folder = dirname(folder);
  return join(folder, 'package.json');
};

it('the README’s table is what is measured', async () => {
  const cell = (found: string | boolean) => (typeof found === 'string' ? found : found ? 'yes' : 'no');
  const title = ({ name, from }: Library) =>
    from.startsWith('.')
      ? name
      : `${name} ${(JSON.parse(readFileSync(manifestOf(from), 'utf8')) as { version: string }).version}`;
  const columns = await Promise.all(
    libraries.map(async (library) => {
      const cells = [title(library), '---'];
      for (const [, measure] of rows) cells.push(cell(await measure(library)));
      return cells;
    }),
  );
  const measured = ['', '---', ...rows.map(([name]) => name)].map((name, row) =>
    [name, ...columns.map((cells) => cells[row])].join(' | '),
  );
  const readme = readFileSync(join(here, '../../../packages/sdk/README.md'), 'utf8');
  expect(tableRows(readme, '## Compared with other clients')).toEqual(measured);
});
