/**
 * The requests that other people's tools make of the served document, on a directory with hosts and categories of its
 * own: none is refused, except where it names something that is not there.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { startDirectory, type Directory } from '@bot-directory/testing/directory';
import { needs } from '@bot-directory/testing/needs';
import { chromium, type Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { operations } from '../src/document.ts';
import { chromiumOptions } from '@bot-directory/testing/chromium';

const here = createRequire(import.meta.url);
const absent = new Set(['bot_not_found', 'webhook_not_found', 'webhook_ping_failed']);

const settings = {
  WRITE_RATE_LIMIT: '0',
  SOCIAL_HOST: 'social.example.net',
  BOT_CATEGORIES: 'Gardening,Travel',
};
let directory: Directory;
let document: object;
beforeEach(async () => {
  directory = await startDirectory({ settings });
  document = (await (await fetch(`${directory.baseUrl}/api/openapi.json`)).json()) as object;
  const body = JSON.stringify({ link: 'https://templates.example.com/bot/meeting-notes' });
  expect(await send({ method: 'POST', url: '/api/bots/submit', body })).toMatch(/^200 \{/);
});
afterEach(() => directory.stop());

/** A request of a tool. */
type Sample = { readonly method: string; readonly url: string; readonly body?: string | undefined };

/** Sends it. Returns the status and the body; a stream's body is not read. */
const send = async ({ method, url, body }: Sample): Promise<string> => {
  const response = await fetch(new URL(url, directory.baseUrl), {
    method,
    ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
  });
  if (!isStream(response.headers.get('content-type'))) return `${response.status} ${await response.text()}`;
  await response.body?.cancel();
  return String(response.status);
};

const isStream = (type: string | null | undefined): boolean => type?.startsWith('text/event-stream') === true;

const sendAll = async (samples: readonly Sample[]): Promise<string[]> => {
  const results = [];
  for (const sample of samples) results.push(await send(sample));
  return results;
};

/** A result for each operation; none is a refusal, and the lists of bots and events show what was submitted. */
const expectServed = (results: readonly string[]): void => {
  expect(results.length).toBe(operations.length);
  const isServed = (result: string) =>
    result.startsWith('200') || absent.has((JSON.parse(result.slice(4)) as { code: string }).code);
  expect(results.filter((result) => !isServed(result))).toEqual([]);
  expect(results.filter((result) => /^200 \[\{"id":"(bot|evt)_/.test(result)).length).toBe(2);
};

type Named = { readonly key: string; readonly value: string; readonly disabled?: boolean };
type PostmanItem = {
  readonly item?: readonly PostmanItem[];
  readonly request?: {
    readonly method: string;
    readonly url: {
      readonly path: readonly string[];
      readonly query: readonly Named[];
      readonly variable: readonly Named[];
    };
    readonly body?: { readonly raw?: string };
  };
};
type Converted = { readonly reason?: string; readonly output?: readonly { readonly data: PostmanItem }[] };

const postmanSamples = ({ item = [], request }: PostmanItem): Sample[] => {
  if (request === undefined) return item.flatMap(postmanSamples);
  const { path, query, variable } = request.url;
  const values = new Map(variable.map(({ key, value }) => [`:${key}`, value]));
  const sent = query.filter(({ disabled }) => disabled !== true);
  const search = new URLSearchParams(sent.map(({ key, value }) => [key, value]));
  const url = `/${path.map((part) => values.get(part) ?? part).join('/')}?${String(search)}`;
  return [{ method: request.method, url, body: request.body?.raw }];
};

it("Postman's converter", async () => {
  const { convertV2 } = here('openapi-to-postmanv2') as {
    convertV2: (input: object, options: object, done: (error: Error | null, result?: Converted) => void) => void;
  };
  const collection = await new Promise<PostmanItem>((resolve, reject) => {
    const options = { parametersResolution: 'Example', enableOptionalParameters: false };
    convertV2({ type: 'json', data: document }, options, (error, result) => {
      const data = result?.output?.[0]?.data;
      if (data === undefined) reject(error ?? new Error(result?.reason));
      else resolve(data);
    });
  });
  expectServed(await sendAll(postmanSamples(collection)));
});

type BrunoItem = {
  readonly items?: readonly BrunoItem[];
  readonly request?: {
    readonly method: string;
    readonly url: string;
    readonly params: readonly {
      readonly name: string;
      readonly value: string;
      readonly enabled: boolean;
      readonly type: 'path' | 'query';
    }[];
    readonly body: { readonly json: string | null };
  };
};

const brunoSamples = ({ items = [], request }: BrunoItem): Sample[] => {
  if (request === undefined) return items.flatMap(brunoSamples);
  const url = new URL(request.url.replace('{{baseUrl}}', directory.baseUrl));
  for (const { name, value, enabled, type } of request.params) {
    if (type === 'path') url.pathname = url.pathname.replace(`:${name}`, value);
    else if (enabled) url.searchParams.set(name, value);
  }
  return [{ method: request.method, url: url.href, body: request.body.json ?? undefined }];
};

it("Bruno's import", async () => {
  const { openApiToBruno } = here('@usebruno/converters') as {
    openApiToBruno: (document: object) => BrunoItem | Promise<BrunoItem>;
  };
  expectServed(await sendAll(brunoSamples(await openApiToBruno(document))));
});

/** Shows a document in Swagger UI, on an origin of its own. */
const swaggerUi = (url: string) => {
  const files: Record<string, [type: string, load: () => Promise<string> | string]> = {
    '/': [
      'text/html',
      () => '<!doctype html><main id="ui"></main><script src="ui.js"></script><script src="main.js"></script>',
    ],
    '/ui.js': [
      'text/javascript',
      () => readFile(join(dirname(here.resolve('swagger-ui-dist/package.json')), 'swagger-ui-bundle.js'), 'utf8'),
    ],
    '/main.js': [
      'text/javascript',
      () => `SwaggerUIBundle(${JSON.stringify({ url, dom_id: '#ui', tryItOutEnabled: true })})`,
    ],
  };
  return createServer((request, response) => {
    const [type, load] = files[request.url ?? ''] ?? ['text/plain', () => ''];
    response.setHeader('Content-Type', `${type}; charset=utf-8`);
    void Promise.resolve(load()).then((text) => response.end(text));
  });
};

/**
 * Opens each operation and presses its Execute, one after the other. Returns the status and body that the browser
 * received. Swagger UI redraws every open operation on any change, so only one is open at a time.
 */
const executeAll = async (page: Page): Promise<string[]> => {
  const blocks = page.locator('.opblock-tag-section .opblock');
  await blocks.nth(operations.length - 1).waitFor();
  const results = [];
  for (const block of await blocks.all()) {
    const summary = block.locator('.opblock-summary-control');
    await summary.click();
    const received = page.waitForResponse(
      (response) => response.url().startsWith(directory.baseUrl) && response.request().method() !== 'OPTIONS',
    );
    await block.locator('.execute').click();
    const response = await received;
    const isWhole = !isStream(response.headers()['content-type']);
    results.push(isWhole ? `${response.status()} ${await response.text()}` : String(response.status()));
    await summary.click();
  }
  return results;
};

it('Swagger UI in Chromium', needs('chromium'), async () => {
  const ui = swaggerUi(`${directory.baseUrl}/api/openapi.json`);
  await new Promise<void>((resolve) => void ui.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch(chromiumOptions());
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(ui.address() as AddressInfo).port}/`);
    expectServed(await executeAll(page));
  } finally {
    await browser.close();
    ui.close();
  }
});
