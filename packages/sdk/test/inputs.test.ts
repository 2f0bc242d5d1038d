/** What callers pass without a type checker: it works, or the error names the mistake. */
import { describe, expect, it } from 'vitest';
import { createClient, type Fetch } from '../src/index.ts';

const baseUrl = 'https://directory.example.com';

/** Makes a client that records its requests. */
const recording = (options: object = {}) => {
  const sent: Array<{ url: string; headers: Record<string, string> }> = [];
  const fetch: Fetch = (url, { headers }) => {
    sent.push({ url, headers });
    return Promise.resolve(Response.json([]));
  };
  return { sent, directory: createClient({ baseUrl, fetch, ...options }) };
};

describe('headers', () => {
  it.each([
    ['Headers', new Headers({ 'X-Trace': 'a' })],
    ['pairs', [['X-Trace', 'a']]],
    ['a Map', new Map([['X-Trace', 'a']])],
    ['an object, with undefined', { 'X-Trace': 'a', 'X-None': undefined, 'X-Null': null }],
  ])('may be %s, of a client, of a call and of withOptions', async (_name, headers) => {
    const trace = { 'x-trace': 'a' };
    const { sent, directory } = recording({ headers });
    await directory.bots.list();
    const other = recording();
    await other.directory.bots.list({}, { headers: headers as Headers });
    const derived = recording();
    await derived.directory.withOptions({ headers: headers as Headers }).bots.list();
    for (const [request] of [sent, other.sent, derived.sent]) {
      expect(request?.headers).toMatchObject(trace);
      expect(Object.keys(request?.headers ?? {}).filter((name) => /^x-n/.test(name))).toEqual([]);
    }
  });
});

describe('an option that is null or undefined', () => {
  it.each([null, undefined])('%s counts as absent', async (nothing) => {
    const options = { signal: nothing, retries: nothing, timeoutMs: nothing, deadlineMs: nothing, headers: nothing };
    const { sent, directory } = recording();
    await directory.bots.list({ q: undefined }, options as object);
    expect(await directory.bots.iterate({}, options as object).collect(1)).toEqual([]);
    expect(sent).toHaveLength(2);
  });
});

it('a controller may be passed as the options, as to fetch', async () => {
  const { sent, directory } = recording();
  const stop = new AbortController();
  stop.abort('enough');
  const { bots, events } = directory;
  const calls = [
    bots.list({}, stop),
    bots.page({}, stop),
    bots.iterate({}, stop).collect(1),
    events.stream({}, stop).next(),
  ];
  for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[])
    expect(reason).toMatchObject({ name: 'AbortedError', cause: 'enough' });
  expect(sent).toEqual([]);
});

describe('a name that a list does not take', () => {
  const wrong = { categories: ['SEO'] } as object;

  it.each([
    ['bots.list', () => recording().directory.bots.list(wrong)],
    ['bots.iterate', () => recording().directory.bots.iterate(wrong).collect(1)],
    ['feed.list', () => recording().directory.feed.list(wrong)],
    ['events.list', () => recording().directory.events.list(wrong)],
    ['events.stream', () => recording().directory.events.stream(wrong).next()],
  ])('%s refuses it before anything is sent', async (_name, call) => {
    await expect(call()).rejects.toThrow(TypeError);
    await expect(call()).rejects.toThrow(/does not take "categories", but \w/);
  });

  it('names what the list takes', async () => {
    const { sent, directory } = recording();
    await expect(directory.bots.list(wrong)).rejects.toThrow(
      /^bots\.list does not take "categories", but .*\bcategory\b/,
    );
    expect(sent).toEqual([]);
  });

  it('is no mistake if it is undefined, and a custom route takes any name', async () => {
    const { sent, directory } = recording();
    await directory.bots.list({ categories: undefined } as object);
    await directory.request({ method: 'GET', path: '/api/bots' }, wrong);
    expect(sent.map(({ url }) => url)).toEqual([`${baseUrl}/api/bots`, `${baseUrl}/api/bots?categories=SEO`]);
  });
});

describe('a base URL', () => {
  it.each([
    ['https://directory.example.com', 'https://directory.example.com'],
    [' https://directory.example.com/ ', 'https://directory.example.com'],
    ['HTTPS://directory.example.com/base//', 'https://directory.example.com/base'],
    ['http://user:secret@localhost:3000?a=b#c', 'http://localhost:3000'],
    ['http://[::1]:3000/base?a', 'http://[::1]:3000/base'],
    [new URL('https://directory.example.com/a/b/'), 'https://directory.example.com/a/b'],
  ])('%s is read without URL, which React Native has only in part', async (given, expected) => {
    const own = globalThis.URL;
    Reflect.deleteProperty(globalThis, 'URL');
    try {
      const { sent, directory } = recording({ baseUrl: given });
      await directory.bots.list({ q: 'a b&\ud800', category: ['R&D', 'SEO'] });
      expect(sent[0]?.url).toBe(`${expected}/api/bots?q=a%20b%26%EF%BF%BD&category=R%26D&category=SEO`);
    } finally {
      globalThis.URL = own;
    }
  });

  it.each(['', 'directory.example.com', '/api', 'ftp://a.example', 'https://', 'https:///path', 'https://a b', {}, 7])(
    '%j is refused',
    (given) => {
      expect(() => createClient({ baseUrl: given as string })).toThrow('baseUrl: not an http or https URL');
    },
  );
});
