/**
 * Every example that a reader may take at its word: the blocks of the pages, and what the OpenAPI document sends and is
 * sent. They are found, not listed: a block in a language that nothing runs fails.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { templateHost } from '@bot-directory/testing/provider';
import { startReceiver, type Received, type Receiver } from '@bot-directory/testing/receiver';
import { startService, type Service } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { EventSource } from '../src/event-sources.ts';
import { nodeListener } from '@bot-directory/webhook-receiver/node';
import { createReceiver } from '@bot-directory/webhook-receiver';
import { generateKeyPair } from '@bot-directory/webhook-receiver/testing';

const root = join(import.meta.dirname, '../../..');
const slug = 'weekly-seo-report';
const template = { name: 'Weekly SEO report', description: 'Mails you what changed.', integrations: ['slack'] };

let receiver: Receiver;
let programs: string;
/** A receiver that the receiver's command line checks, and its keys. */
let hooks: string;
const keys = await generateKeyPair();
const checked = createServer(nodeListener(createReceiver({ keys: keys.publicKey, on: {}, onError: () => undefined })));
beforeAll(async () => {
  receiver = await startReceiver();
  await once(checked.listen(0, '127.0.0.1'), 'listening');
  hooks = `http://127.0.0.1:${(checked.address() as AddressInfo).port}`;
  programs = await makePrograms();
});
afterAll(async () => {
  await receiver.stop();
  checked.close();
  checked.closeAllConnections();
  await rm(programs, { recursive: true });
});

/** Starts the service that the examples name, with their template. */
const start = async (): Promise<Service> => {
  const service = await startService({
    settings: { WRITE_RATE_LIMIT: '600/1m', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    world: { ca: receiver.ca },
  });
  service.provider.template(template, slug);
  return service;
};

const endpoint =
  /https:\/\/(?:(?:hooks|gateway)\.example\.com|hooks\.slack\.com|discord\.com|[\w.-]+\.azure\.net)(?=\/)/g;

/** Leads the addresses of examples to this machine, and gives them a key where they leave one out. */
const inHere = (text: string, service: Service): string =>
  text
    .replaceAll(endpoint, receiver.url(''))
    .replaceAll('"…"', '"a-key"')
    .replaceAll('bots.example.com', templateHost)
    .replaceAll(/https:\/\/directory\.example\.com|http:\/\/localhost:3000/g, service.url);

/**
 * Makes the programs of examples that need more than a service. `curl` fails on an error response. Those of installed
 * packages are run from here; what installs, builds or starts everything only has to exist, since `.ci/run` and the
 * tests of the image run it.
 */
const makePrograms = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'programs-'));
  const scripts = Object.keys(
    (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts,
  );
  const programsByName = {
    curl: 'exec /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin curl --fail-with-body "$@"',
    npm: `case "$*" in
      ${scripts.map((name) => (['start', 'test'].includes(name) ? name : `'run ${name}'`)).join('|')}) ;;
      'install @bot-directory/sdk'|'install @bot-directory/webhook-receiver') ;;
      *) echo "what is npm $*?" >&2; exit 1 ;;
    esac`,
    npx: `case "$*" in
      '@bot-directory/webhook-receiver '*) shift; exec node ${root}/packages/webhook-receiver/dist/cli.js "$@" ;;
      '--yes --package='*/releases/download/server-v*/bot-directory-server-*.tgz' bot-directory') ;;
      *) echo "what is npx $*?" >&2; exit 1 ;;
    esac`,
    docker: `case "$*" in
      'run '*ghcr.io/public-bot-directory/public-bot-directory:*) ;;
      *) echo "what is docker $*?" >&2; exit 1 ;;
    esac`,
  };
  for (const [name, script] of Object.entries(programsByName)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
};

type Block = { readonly heading: string; readonly language: string; readonly code: string };

const blocksOf = (page: string): Block[] => {
  let heading = '';
  const parts = readFileSync(join(root, page), 'utf8').matchAll(/^#+ ([^\n]+)$|^ *```(\w*)[^\n]*\n(.*?)^ *```$/gms);
  return [...parts].flatMap(([, title, language = '', code]) => {
    heading = title ?? heading;
    return code === undefined ? [] : [{ heading, language, code }];
  });
};

/** Runs commands. A comment that is JSON is the output of the command before it. */
const runCommands = async (code: string, service: Service): Promise<void> => {
  for (const [, url = ''] of code.matchAll(/--data-urlencode 'url=([^']+)'/g))
    await service.post('/api/webhooks/bots', { url: inHere(url, service) });
  const commands = inHere(code, service)
    .replaceAll('whsk_…', keys.privateKey)
    .replaceAll('http://localhost:8080', hooks);
  const env = { PATH: `${programs}:${process.env.PATH ?? ''}`, base_url: service.url };
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', commands], { env });
  for (const [, output = ''] of code.matchAll(/^# (\{.*\})$/gm)) expect(stdout).toContain(output);
};

/** Runs a script of a browser, until it has shown what it shows of a new bot. */
const runScript = async (code: string, service: Service): Promise<void> => {
  const shown: unknown[] = [];
  const opened: EventSource[] = [];
  class Source extends EventSource {
    constructor(url: string) {
      super(url);
      opened.push(this);
    }
  }
  // oxlint-disable-next-line no-implied-eval
  const run = new Function('EventSource', 'console', inHere(code, service)) as (source: object, log: object) => void;
  run(Source, { log: (text: unknown) => shown.push(text) });
  await until('it is open', () => opened.every(({ readyState }) => readyState === EventSource.OPEN));
  const published = await service.publish('Shown by a script');
  await until('it is shown', () => shown.includes(published));
  for (const source of opened) source.close();
};

/** Keys of objects and types of values, without what differs from time to time: an example shows both. */
const differences = (real: unknown, example: unknown, at = ''): string[] => {
  if (real === null || example === null) return [];
  if (Array.isArray(real) && Array.isArray(example))
    return real.flatMap((one, i) => differences(one, example[0] ?? one, `${at}/${i}`));
  if (typeof real !== typeof example) return [`${at} is ${JSON.stringify(real)}`];
  if (typeof real !== 'object' || typeof example !== 'object') return [];
  return Object.entries(real).flatMap(([name, value]) => {
    const shown = (example as Record<string, unknown>)[name];
    return shown === undefined ? [`${at}/${name} is not in the example`] : differences(value, shown, `${at}/${name}`);
  });
};

/** What a text shows, with any id, and anything for what it leaves out. */
const patternOf = (text: string): RegExp =>
  new RegExp(
    text
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/evt_\w{26}/g, 'evt_\\w{26}')
      .replaceAll('…', '.*'),
  );

/** Runs what is sent in JSON, or shown of a response. The blocks of operations are the document's own examples. */
const runJson = async ({ code, heading }: Block, service: Service): Promise<void> => {
  const shown = JSON.parse(inHere(code, service)) as object;
  if (heading.startsWith('`')) {
    expect(documented.map((one) => JSON.stringify(one))).toContain(JSON.stringify(JSON.parse(code)));
    return;
  }
  const refused = await service.post('/api/bots/submit', { link: 'https://example.com' });
  expect(refused.body).toEqual({ ...shown, request_id: expect.stringMatching(/^req_/) as string });
};

/** Compares headers, but for what is left of the limit. */
const runHttp = async ({ code }: Block, service: Service): Promise<void> => {
  const { headers } = await service.post('/api/bots/submit', { link: service.link(slug), dry_run: true });
  const withoutCounts = (text: string): string => text.replaceAll(/\b([rt])=\d+/g, '$1=0').replace(/pk=:[^:]+:/, 'pk');
  for (const line of code.trim().split('\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/s);
    expect([name, withoutCounts(headers.get(name) ?? '')]).toEqual([name, withoutCounts(value)]);
  }
};

/** What runs a block: here, or a test that finds all blocks of the page in that language by itself. */
type Run = (block: Block, service: Service) => Promise<void> | void;
const commands: Run = ({ code }, service) => runCommands(code, service);
const elsewhere =
  (path: string): Run =>
  () => {
    expect(existsSync(join(root, path))).toBe(true);
  };
/** The tests of Next.js take the blocks that begin with a path, and that of tabs the one that shares a channel. */
const bySdk: Run = ({ code }) => {
  expect(code).toMatch(/^\/\/ [\w/]+\.jsx?\n|BroadcastChannel/);
};
const documentedText: Run = ({ code }) => {
  expect(documented).toContainEqual(expect.stringContaining(code.trim()));
};
const runs: Readonly<Record<string, Readonly<Record<string, Run>>>> = {
  'README.md': { sh: commands },
  'docs/API.md': {
    sh: commands,
    json: runJson,
    http: runHttp,
    js: ({ code }, service) => runScript(code, service),
    '': documentedText,
  },
  'docs/SUBSCRIBING.md': {
    sh: commands,
    json: async ({ code }, service) => {
      const answer = await service.post('/api/webhooks/bots', JSON.parse(inHere(code, service)));
      expect(answer).toMatchObject({ status: 200 });
    },
    sql: elsewhere('checks/receiver/test/subscribing.test.ts'),
    ts: elsewhere('checks/receiver/test/subscribing.test.ts'),
  },
  'packages/sdk/README.md': {
    sh: commands,
    ts: elsewhere('checks/sdk/test/examples.test.ts'),
    js: bySdk,
    jsx: bySdk,
  },
  'packages/webhook-receiver/README.md': {
    sh: async (block, service) => {
      await service.post('/api/webhooks/bots', { url: receiver.url('/bots') });
      await commands(block, service);
    },
    ts: elsewhere('checks/receiver/test/readme.test.ts'),
  },
};

describe.each(Object.entries(runs))('%s', (page, byLanguage) => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());
  it.each(blocksOf(page).map((block) => [`${block.heading}, ${block.code.split('\n', 1)[0] ?? ''}`, block] as const))(
    '%s',
    { timeout: 60_000 },
    async (_name, block) => {
      const run = byLanguage[block.language];
      if (run === undefined) throw new Error(`nothing runs blocks in “${block.language}”`);
      await run(block, service);
    },
  );
});

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
type Schema = {
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
type Operation = {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};
const document = openApi() as unknown as Record<'paths' | 'webhooks', Record<string, Record<string, Operation>>>;
const exampleIn = (content: Content | undefined): unknown => Object.values(content ?? {})[0]?.example;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);
/** The examples of bodies and successes. */
const documented = operations.flatMap(({ requestBody, responses }) => [
  exampleIn(requestBody?.content),
  exampleIn(responses['200']?.content),
]);
/** What one must exist for the next: bots before what is said of them, and a webhook until it is removed. */
const order = ['submitBot', 'POST', 'GET', 'DELETE'];
const ranked = operations.toSorted((a, b) => {
  const rank = ({ operationId, method }: typeof a): number =>
    order.indexOf(order.includes(operationId) ? operationId : method);
  return rank(a) - rank(b);
});

describe('the OpenAPI document', () => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());

  const readFirstEvent = async (response: Response): Promise<string> => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (/^event: bot\./m.test(text)) break;
    }
    return text;
  };
  const send = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: unknown }> => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined
        ? {}
        : { body: inHere(JSON.stringify(body), service), headers: { 'Content-Type': 'application/json' } }),
    });
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
      return { status: response.status, body: await readFirstEvent(response) };
    return { status: response.status, body: await response.json() };
  };

  it.each(ranked.map((operation) => [operation.operationId, operation] as const))('%s', async (_id, operation) => {
    const { operationId, method, path, parameters, requestBody, responses } = operation;
    const inPath = path.replace('{slug}', slug);
    const required = parameters.filter((one) => one.in === 'query' && (one.required || method === 'DELETE'));
    const search = (more: readonly (typeof parameters)[number][]): string =>
      `?${String(new URLSearchParams(more.map(({ name, example }): [string, string] => [name, inHere(String(example), service)])))}`;
    const body = exampleIn(requestBody?.content);
    // The stream of an id that is unknown begins with the oldest event.
    const query =
      operationId === 'streamEvents' ? `?after=evt_${'0'.repeat(26)}` : body === undefined ? search(required) : '';
    const answer = await send(method, `${inPath}${query}`, body);
    const shown = exampleIn(responses['200']?.content);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    if (typeof shown === 'string') expect(answer.body).toMatch(patternOf(shown));
    else expect(differences(answer.body, shown)).toEqual([]);
    for (const one of parameters.filter(({ example }) => example !== undefined)) {
      const again = await send(
        method,
        `${inPath}${one.in === 'query' ? search([...new Set([...required, one])]) : ''}`,
        body,
      );
      expect([one.name, again.status]).toEqual([one.name, expect.not.toSatisfy(isRefusal)]);
    }
    const schema = Object.values(requestBody?.content ?? {})[0]?.schema?.properties ?? {};
    for (const [name, { examples, anyOf }] of Object.entries(schema))
      for (const value of examples ?? anyOf?.[0]?.examples ?? []) {
        const again = await send(method, inPath, { ...(body as object), [name]: value });
        expect([name, value, again.status]).toEqual([name, value, expect.not.toSatisfy(isRefusal)]);
      }
  });

  /** A repeated write may be a conflict; an example is never invalid. */
  const isRefusal = (status: number): boolean => ![200, 404, 409].includes(status);

  it('shows the deliveries of every type', async () => {
    const webhooks = Object.entries(document.webhooks);
    const types = webhooks.map(([type]) => type);
    const url = receiver.url('/every-type');
    const got = () => receiver.received.filter(({ path }) => path === '/every-type');
    const operator = operatorOf(service.redis?.url ?? '', service.url);
    await service.post('/api/webhooks/bots', { url, events: types.filter((type) => type !== 'ping') });
    const id = service.provider.template({ name: 'Every type' });
    const { body: bot } = await service.post<{ slug: string }>('/api/bots/submit', { link: service.link(id) });
    const arrives = (type: string) => until(`${type} has come`, () => got().some(isOf(type)));
    await arrives('bot.created');
    await operator.run('edit', bot.slug, '--author', '@ada_l');
    // What is hidden is no longer sent.
    await arrives('bot.updated');
    await operator.run('hide', bot.slug, '--reason', 'Spam.');
    await operator.run('restore', bot.slug);
    for (const type of types) await arrives(type);
    for (const [type, { post }] of webhooks) {
      const delivery = got().find(isOf(type));
      expect(Object.keys(delivery?.headers ?? {})).toEqual(
        expect.arrayContaining((post?.parameters ?? []).map(({ name }) => name.toLowerCase())),
      );
      const body: unknown = JSON.parse(String(delivery?.body));
      expect(differences(body, exampleIn(post?.requestBody?.content))).toEqual([]);
    }
  });

  const isOf =
    (type: string) =>
    ({ headers }: Received): boolean =>
      headers['x-service-event'] === type;
});
