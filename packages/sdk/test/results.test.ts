/** The forms in which a call returns its result, and the hooks that are called on the way. */
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import {
  AbortedError,
  ApiError,
  type Bot,
  createClient,
  DecodeError,
  type ErrorCode,
  type Hooks,
  type Logger,
  paginate,
} from '../src/index.ts';
import { json, problem, reset, startMisbehavingServer, text } from './support/misbehaving-server.ts';

let server: Awaited<ReturnType<typeof startMisbehavingServer>>;
beforeAll(async () => void (server = await startMisbehavingServer()));
afterAll(() => server.close());

const there = { slug: 'a', url: '/bots/a' };

describe('.safe()', () => {
  it('narrows the body by the status', async () => {
    const baseUrl = server.play(problem(409, 'bot_exists', { members: there }));
    const outcome = await createClient({ baseUrl }).bots.submit({ link: 'l' }).safe();
    if (outcome.ok || outcome.status !== 409) throw new Error('expected a 409');
    expectTypeOf(outcome.error.status).toEqualTypeOf<409>();
    expectTypeOf(outcome.error.code).toEqualTypeOf<ErrorCode>();
    expectTypeOf(outcome.error.problem.slug).toEqualTypeOf<string>();
    expect(outcome.error.problem).toMatchObject(there);
  });

  it('narrows the data by ok', async () => {
    const outcome = await createClient({ baseUrl: server.play(json(200, [])) })
      .bots.list()
      .safe();
    if (!outcome.ok) throw outcome.error;
    expectTypeOf(outcome.data).toEqualTypeOf<Bot[]>();
    expect(outcome).toMatchObject({ ok: true, status: 200, data: [], text: '[]' });
  });

  it.each([
    ['a reset', reset, 'NetworkError', 'network', undefined],
    ['garbage', text(200, '{'), 'DecodeError', 'decode', undefined],
    ["a proxy's own error", text(503, '<html>'), 'ApiError', 'http', 503],
  ])('has a code and no status of the API after %s', async (_name, fault, name, code, status) => {
    const outcome = await createClient({ baseUrl: server.play(fault), retries: 0 })
      .bots.list()
      .safe();
    if (outcome.ok || outcome.status !== null) throw new Error('expected a breakdown');
    expect(outcome.code).toBe(code);
    expect(outcome.error).toMatchObject(status === undefined ? { name, code } : { name, code, status });
    expect('status' in outcome.error).toBe(status !== undefined);
  });

  it('survives a clone, except for what no clone can hold', async () => {
    const lists = createClient({ baseUrl: server.play(json(200, [there])) }).bots.list();
    expect(structuredClone(await lists.safe())).toEqual({
      ok: true,
      status: 200,
      data: [there],
      text: JSON.stringify([there]),
    });
    const baseUrl = server.play(problem(409, 'bot_exists', { members: there }));
    const refused = await createClient({ baseUrl }).bots.submit({ link: 'l' }).safe();
    if (refused.ok || refused.status !== 409) throw new Error('expected a 409');
    expectTypeOf(refused.problem.slug).toEqualTypeOf<string>();
    expect(structuredClone(refused)).toEqual({
      ok: false,
      status: 409,
      code: 'bot_exists',
      problem: refused.error.problem,
    });
    const lost = await createClient({ baseUrl: server.play(reset), retries: 0 })
      .bots.list()
      .safe();
    expect(structuredClone(lost)).toEqual({ ok: false, status: null, code: 'network' });
    // What a server action sends.
    expect(Object.keys(lost)).toEqual(['ok', 'code', 'status']);
  });

  it('still rejects a mistake in the call', async () => {
    const baseUrl = server.play(json(200, {}));
    await expect(createClient({ baseUrl }).bots.get({ slug: '..' }).safe()).rejects.toThrow(TypeError);
    expect(server.received(baseUrl)).toEqual([]);
  });

  it('leaves no rejection unhandled', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const api = createClient({ baseUrl: server.play(problem(404, 'bot_not_found')) });
    await api.bots.get({ slug: 'a' }).safe();
    await api.bots
      .get({ slug: 'a' })
      .withResponse()
      .catch(() => {});
    await api.bots.get({ slug: 'a' }).catch(() => {});
    // Node reports it before the next tick.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('.withResponse()', () => {
  it('returns status and headers', async () => {
    const baseUrl = server.play(json(200, [], { 'x-total-count': '7' }));
    const { data, response } = await createClient({ baseUrl }).feed.list({ limit: 1 }).withResponse();
    expect(data).toEqual([]);
    expect([response.status, response.headers.get('x-total-count')]).toEqual([200, '7']);
  });

  it('returns the response of an error too', async () => {
    const call = createClient({ baseUrl: server.play(problem(404, 'bot_not_found')) }).bots.get({ slug: 'a' });
    const error = await call.withResponse().catch((caught: unknown) => caught);
    expect(error instanceof ApiError && error.response.headers.get('x-request-id')).toBe('req_1');
  });
});

const abortable = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort('enough') };
};

describe('a list to iterate over', () => {
  const page = (items: unknown[], next?: string) =>
    json(200, items, {
      'x-total-count': '3',
      ...(next === undefined
        ? {}
        : { link: `<https://elsewhere.example.com/api/bots?limit=2&cursor=${next}>; rel="next"` }),
    });

  it('follows the links, with the filters it began with, and never to another host', async () => {
    const baseUrl = server.play(page(['a', 'b'], 'c%26d'), page(['c']));
    const items: unknown[] = [];
    for await (const bot of createClient({ baseUrl }).bots.iterate({ limit: 2, category: ['Marketing', 'SEO'] }))
      items.push(bot);
    expect(items).toEqual(['a', 'b', 'c']);
    expect(server.received(baseUrl).map(({ path }) => path)).toEqual([
      '/api/bots?limit=2&category=Marketing&category=SEO',
      '/api/bots?limit=2&category=Marketing&category=SEO&cursor=c%26d',
    ]);
  });

  it('requests a page only when it is reached', async () => {
    const baseUrl = server.play(page(['a'], 'next'));
    for await (const post of createClient({ baseUrl }).feed.iterate()) {
      expect(post).toBe('a');
      break;
    }
    expect(server.received(baseUrl).map(({ path }) => path)).toEqual(['/api/feed?limit=100']);
  });

  it('iterates by page, and continues from a cursor', async () => {
    const baseUrl = server.play(page(['a', 'b'], 'x'), page(['c']));
    const pages = createClient({ baseUrl }).bots.iterate({ limit: 2, cursor: 'here' }).byPage();
    const found = [];
    for await (const one of pages) found.push(one);
    expect(found).toEqual([
      { items: ['a', 'b'], total: 3, cursor: 'x', hasMore: true },
      { items: ['c'], total: 3, cursor: undefined, hasMore: false },
    ]);
    expect(server.received(baseUrl)[0]?.path).toBe('/api/bots?limit=2&cursor=here');
  });

  it.each([
    ['in the middle of a page', 1, ['a']],
    ['at the end of a page', 2, ['a', 'b']],
    ['in the middle of the last page', 3, ['a', 'b', 'c']],
    ['after the last', 4, ['a', 'b', 'c', 'd']],
  ])('yields nothing more, and does not end as if complete, once it is aborted: %s', async (_name, at, seen) => {
    const baseUrl = server.play(page(['a', 'b'], 'x'), page(['c', 'd']));
    const { signal, abort } = abortable();
    const failures: unknown[] = [];
    const items: unknown[] = [];
    const hooks: Hooks = { onError: ({ error }) => void failures.push(error) };
    const loop = async () => {
      for await (const item of createClient({ baseUrl, hooks }).bots.iterate({}, { signal }))
        if (items.push(item) === at) abort();
    };
    const error: unknown = await loop().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'AbortedError', operation: 'bots.iterate', cause: 'enough' });
    expect(items).toEqual(seen);
    expect(failures).toEqual([error]);
    expect(server.received(baseUrl).length).toBe(Math.ceil(at / 2));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each([1, 2])('yields no further page once it is aborted: after page %i', async (at) => {
    const baseUrl = server.play(page(['a', 'b'], 'x'), page(['c']));
    const { signal, abort } = abortable();
    const pages = createClient({ baseUrl }).bots.iterate({}, { signal }).byPage();
    let seen = 0;
    const loop = async () => {
      for await (const { items } of pages) if (items.length > 0 && ++seen === at) abort();
    };
    await expect(loop()).rejects.toBeInstanceOf(AbortedError);
    expect(seen).toBe(at);
  });

  it('yields no page that arrives as it is aborted', async () => {
    const { signal, abort } = abortable();
    const api = createClient({ baseUrl: server.play(page(['a'])), hooks: { onResponse: abort } });
    await expect(api.bots.iterate({}, { signal }).collect(9)).rejects.toBeInstanceOf(AbortedError);
  });

  it('is aborted although its list ignores the signal', async () => {
    const { signal, abort } = abortable();
    const { bots } = createClient({ baseUrl: server.play(page(['a', 'b'], 'x')) });
    const items: unknown[] = [];
    const loop = async () => {
      for await (const item of paginate((input: { limit?: number }) => bots.list(input), {}, { signal })) {
        items.push(item);
        abort();
      }
    };
    await expect(loop()).rejects.toBe('enough');
    expect(items).toEqual(['a']);
  });

  it.each([
    ['the first page', [page(['a'], 'x')]],
    ['an earlier one', [page(['a'], 'x'), page(['b'], 'y'), page(['c'], 'x')]],
  ])('ends with an error when a page links back to %s', async (_name, script) => {
    const baseUrl = server.play(...script);
    const error: unknown = await createClient({ baseUrl })
      .bots.iterate()
      .collect(99)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DecodeError);
    expect(error).toMatchObject({ cause: { message: 'the next page is one that was read before' } });
    expect(server.received(baseUrl).length).toBe(Math.max(2, script.length));
  });

  const target = '<https://directory.example.com/api/bots?limit=2&cursor=a>';
  it.each([
    [`${target}; rel=next`, 'a'],
    [`${target};rel="next"`, 'a'],
    [`${target} ; rel = "next"`, 'a'],
    [`${target}; REL="NEXT"`, 'a'],
    [`${target}; rel="last next"`, 'a'],
    [`${target}; title="x, y"; rel="next"`, 'a'],
    [`${target}; title="\\"; rel=prev; <x>"; crossorigin; rel="next"`, 'a'],
    [`<https://directory.example.com/?cursor=p>; rel="prev", ${target}; rel="next"`, 'a'],
    [`${target}; rel="next", <https://directory.example.com/?cursor=p>; rel="prev"`, 'a'],
    ['</style.css>; rel=preload; as=style, <?q=a,b&cursor=a#cursor=b>; rel="next"', 'a'],
    [`${target}; rel="first"; title="x; rel=next"`, undefined],
    [`${target}; rel="next-archive"`, undefined],
    [`${target}; xrel=next`, undefined],
    [`${target}, <https://directory.example.com/>; rel=next`, undefined],
    ['nonsense', undefined],
  ])('reads %s', async (link, cursor) => {
    const api = createClient({ baseUrl: server.play(json(200, [], { link })) });
    const { value } = await api.bots.iterate().byPage()[Symbol.asyncIterator]().next();
    expect(value).toMatchObject({ cursor });
  });

  it.each([
    ['a full page without headers', [json(200, [1, 2])]],
    ['fewer items than the total', [json(200, [1, 2], { 'x-total-count': '5' })]],
    [
      'a later page',
      [
        json(200, [1, 2], { link: '</api/bots?cursor=b>; rel="next"', 'x-total-count': '5' }),
        json(200, [3, 4], { 'x-total-count': '5' }),
      ],
    ],
  ])('takes no page for the last whose link a gateway dropped: %s', async (_name, script) => {
    const { bots } = createClient({ baseUrl: server.play(...script) });
    await expect(bots.iterate({ limit: 2 }).collect(9)).rejects.toMatchObject({
      name: 'DecodeError',
      cause: { message: 'the link to the next page is missing' },
    });
  });

  it.each([
    ['of an empty list', [json(200, [], { 'x-total-count': '0' })], []],
    ['that is full', [json(200, [1, 2], { 'x-total-count': '2' })], [1, 2]],
    [
      'after bots were added and removed',
      [
        json(200, [1, 2], { link: '</api/bots?cursor=b>; rel="next"', 'x-total-count': '4' }),
        json(200, [3], { 'x-total-count': '4' }),
      ],
      [1, 2, 3],
    ],
  ])('ends with the last page %s', async (_name, script, expected) => {
    const { bots } = createClient({ baseUrl: server.play(...script) });
    expect(await bots.iterate({ limit: 2 }).collect(9)).toEqual(expected);
  });

  it('fails as a call does', async () => {
    const baseUrl = server.play(page(['a'], 'x'), problem(400, 'invalid_request'));
    const items: unknown[] = [];
    const loop = async () => {
      for await (const item of createClient({ baseUrl }).feed.iterate()) items.push(item);
    };
    await expect(loop()).rejects.toMatchObject({ name: 'ApiError', status: 400 });
    expect(items).toEqual(['a']);
  });
});

describe('what is sent', () => {
  it('needs no CORS preflight, except for the type of a body', async () => {
    const baseUrl = server.play(json(200, []), json(200, {}));
    const api = createClient({ baseUrl: `${baseUrl}/` });
    await api.bots.list({ q: 'a' });
    await api.webhooks.remove({ url: 'u' });
    const own = server
      .received(baseUrl)
      .map(({ headers }) =>
        Object.keys(headers).filter(
          (name) =>
            !/^(host|connection|content-length|transfer-encoding|sec-fetch-mode|user-agent|accept.*)$/.test(name),
        ),
      );
    expect(own).toEqual([[], ['content-type']]);
    expect(server.received(baseUrl)[1]).toMatchObject({
      method: 'DELETE',
      path: '/api/webhooks/bots',
      body: '{"url":"u"}',
    });
  });

  it('has the client’s headers, overridden by the call’s', async () => {
    const baseUrl = server.play(json(200, []));
    await createClient({ baseUrl, headers: { 'x-a': '1', 'x-b': '1' } }).bots.list({}, { headers: { 'x-b': '2' } });
    expect(server.received(baseUrl)[0]?.headers).toMatchObject({ 'x-a': '1', 'x-b': '2' });
  });

  it('has the caller’s header in place of the package’s', async () => {
    const baseUrl = server.play(json(200, {}));
    const headers = { Accept: 'application/problem+json', 'Content-Type': 'application/json; charset=utf-8' };
    await createClient({ baseUrl }).webhooks.remove({ url: 'u' }, { headers });
    expect(server.received(baseUrl)[0]?.headers).toMatchObject({
      accept: headers.Accept,
      'content-type': headers['Content-Type'],
    });
  });

  it('goes to an absolute http or https URL', () => {
    for (const baseUrl of ['', '/api', 'ftp://directory.example.com', 'directory.example.com']) {
      expect(() => createClient({ baseUrl })).toThrow(TypeError);
    }
  });
});

describe('hooks and logger', () => {
  it('are called for each attempt, the retry and the end: the client’s first, then the call’s', async () => {
    const seen: string[] = [];
    const hooks = (who: string): Hooks => ({
      onRequest: ({ operation, attempt, method, headers }) => {
        seen.push(`${who} ${method} ${operation} ${attempt}`);
        headers.set(`x-${who}`, 'was here');
      },
      onResponse: ({ response, durationMs }) => void seen.push(`${who} ${response.status} ${durationMs > 0}`),
      onRetry: ({ error, delayMs }) => void seen.push(`${who} again after ${error.name} ${delayMs >= 0}`),
      onError: ({ error }) => void seen.push(`${who} gave up: ${error.code}`),
    });
    const lines: string[] = [];
    const logger: Logger = {
      debug: (line) => void lines.push(`debug ${line}`),
      warn: (line) => void lines.push(`warn ${line}`),
    };
    const baseUrl = server.play(problem(503, 'store_unavailable'), problem(409, 'post_exists'));
    const secret = 'https://private.example.com/post';
    await createClient({ baseUrl, hooks: hooks('client'), logger })
      .feed.add({ url: secret }, { hooks: hooks('call') })
      .safe();
    const both = (text: string) => [`client ${text}`, `call ${text}`];
    expect(seen).toEqual([
      ...both('POST feed.add 1'),
      ...both('503 true'),
      ...both('again after ApiError true'),
      ...both('POST feed.add 2'),
      ...both('409 true'),
      ...both('gave up: post_exists'),
    ]);
    expect(server.received(baseUrl)[1]?.headers).toMatchObject({ 'x-client': 'was here', 'x-call': 'was here' });
    expect(lines.map((line) => line.replace(/\d+ ms/g, 'n ms'))).toEqual([
      'debug feed.add: 503 in n ms',
      'warn feed.add: store_unavailable; again in n ms',
      'debug feed.add: 409 in n ms',
    ]);
    expect(lines.join()).not.toContain(secret);
  });

  it('awaits a hook, and rethrows its error unchanged', async () => {
    const baseUrl = server.play(json(200, []));
    const slow = createClient({
      baseUrl,
      hooks: { onRequest: async ({ headers }) => headers.set('x-token', await Promise.resolve('t')) },
    });
    await slow.bots.list();
    expect(server.received(baseUrl)[0]?.headers['x-token']).toBe('t');
    const mistake = new RangeError('in the hook');
    const call = createClient({ baseUrl, hooks: { onResponse: () => Promise.reject(mistake) } }).bots.list();
    await expect(call).rejects.toBe(mistake);
    expect(server.received(baseUrl).length).toBe(2);
  });

  it('reports a call that is aborted while it waits', async () => {
    const controller = new AbortController();
    const codes: unknown[] = [];
    const hooks: Hooks = { onRetry: () => controller.abort(), onError: ({ error }) => void codes.push(error.code) };
    await createClient({ baseUrl: server.play(reset), hooks })
      .bots.list({}, { signal: controller.signal })
      .catch(() => {});
    expect(codes).toEqual(['aborted']);
  });
});

it('uses the given fetch, otherwise the global one at the time of the call', async () => {
  const answer = () => Promise.resolve(new Response('[]'));
  expect(await createClient({ baseUrl: 'http://nowhere.example.com', fetch: answer }).bots.list()).toEqual([]);
  // A browser's own refuses to be called as a method of another object.
  const received: unknown[] = [];
  const strict = function (this: unknown) {
    received.push(this);
    return answer();
  };
  await createClient({ baseUrl: 'http://nowhere.example.com', fetch: strict }).bots.list();
  expect(received).toEqual([undefined]);
  const own = globalThis.fetch;
  const api = createClient({ baseUrl: 'http://nowhere.example.com', retries: 0 });
  globalThis.fetch = () => Promise.reject(new TypeError('replaced'));
  await expect(api.bots.list()).rejects.toThrow('replaced');
  globalThis.fetch = own;
});
