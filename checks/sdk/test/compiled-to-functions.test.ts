/**
 * The built file, compiled again as applications do: with classes, generators and `async` as functions. Each kind of
 * error keeps its class, and the package's other copies recognise it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { functionCompilers } from '@bot-directory/check-runtimes/compiled-to-functions';
import { afterAll, describe, expect, it } from 'vitest';
import * as ours from '@bot-directory/sdk';

const folder = mkdtempSync(join(import.meta.dirname, '.compiled-'));
afterAll(() => rmSync(folder, { recursive: true }));
const built = readFileSync(createRequire(import.meta.url).resolve('@bot-directory/sdk'), 'utf8');

const baseUrl = 'http://directory.example.com';
const kinds = ['ApiError', 'NetworkError', 'TimeoutError', 'AbortedError', 'DecodeError'] as const;
type Kind = (typeof kinds)[number];

const hang = () => new Promise<Response>(() => {});
/** How to cause each error. */
const failures: Record<Kind, { fetch: ours.Fetch; signal?: AbortSignal }> = {
  ApiError: { fetch: () => Promise.resolve(new Response('<html>', { status: 404 })) },
  NetworkError: { fetch: () => Promise.reject(new TypeError('Failed to fetch')) },
  TimeoutError: { fetch: hang },
  AbortedError: { fetch: hang, signal: AbortSignal.abort() },
  DecodeError: { fetch: () => Promise.resolve(new Response('{')) },
};

describe.each(Object.entries(functionCompilers))('compiled with %s', (name, compile) => {
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.cjs`);
  const load = async () => {
    const text = await compile(built);
    expect(text).not.toMatch(/\bclass BotDirectoryError\b/);
    writeFileSync(file, text);
    return createRequire(import.meta.url)(file) as typeof ours;
  };

  it('each error is an instance of its class, and of no other', async () => {
    const copy = await load();
    for (const kind of kinds) {
      const { fetch, signal } = failures[kind];
      const { bots } = copy.createClient({ baseUrl, fetch, retries: 0, timeoutMs: 10 });
      const error: unknown = await bots.list({}, { signal }).catch((caught: unknown) => caught);
      expect((error as Error).name).toBe(kind);
      for (const module of [copy, ours]) {
        expect(error instanceof module.BotDirectoryError).toBe(true);
        expect(kinds.filter((other) => error instanceof module[other])).toEqual([kind]);
      }
      expect(error).toBeInstanceOf(Error);
    }
  });

  it('lists, pages and streams are read', async () => {
    const copy = await load();
    const event = { id: '1', type: 'bot.created', data: { slug: 'a' } };
    const body = `id: 1\ndata: ${JSON.stringify(event)}\n\n`;
    const fetch: ours.Fetch = (url) =>
      Promise.resolve(
        url.includes('/stream')
          ? new Response(body, { headers: { 'content-type': 'text/event-stream' } })
          : Response.json([{ slug: 'a' }]),
      );
    const { bots, events } = copy.createClient({ baseUrl, fetch });
    expect(await bots.list()).toEqual([{ slug: 'a' }]);
    expect(await bots.iterate().collect(2)).toEqual([{ slug: 'a' }]);
    expect((await events.stream().next()).value).toEqual(event);
  });
});
