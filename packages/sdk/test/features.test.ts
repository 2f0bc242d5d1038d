/**
 * What a caller may ask for beyond the operations: other options, other routes, unchanged responses, unknown events.
 */
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { version } from '../package.json';
import {
  ApiError,
  connect,
  createClient,
  type DirectoryEvent,
  isApiError,
  isKnownEvent,
  NetworkError,
  streamEvents,
  type StreamOptions,
  type UnknownEvent,
} from '../src/index.ts';
import { json, problem, reset, startMisbehavingServer, stream, text } from './support/misbehaving-server.ts';

let server: Awaited<ReturnType<typeof startMisbehavingServer>>;
beforeAll(async () => void (server = await startMisbehavingServer()));
afterAll(() => server.close());

describe('.withResponse()', () => {
  it('returns the raw body', async () => {
    const baseUrl = server.play(text(200, '[ 1.0 ]'));
    expect((await createClient({ baseUrl }).bots.list().withResponse()).text).toBe('[ 1.0 ]');
  });
});

describe('options of fetch', () => {
  it('come from the client, overridden by the call’s; the package’s own settings stay', async () => {
    const seen: unknown[] = [];
    const api = createClient({
      baseUrl: 'http://nowhere.example.com',
      fetchOptions: { cache: 'no-store', credentials: 'include', method: 'PUT' },
      fetch: (_url, init) => {
        seen.push(init);
        return Promise.resolve(Response.json([]));
      },
    });
    await api.bots.list({}, { fetchOptions: { credentials: 'omit', dispatcher: 7 } });
    expect(seen).toMatchObject([{ cache: 'no-store', credentials: 'omit', dispatcher: 7, method: 'GET' }]);
  });
});

describe('a derived client', () => {
  it('has its parent’s options, overridden by its own; headers are merged', async () => {
    const baseUrl = server.play(json(200, []));
    const parent = createClient({ baseUrl, headers: { 'x-a': '1', 'X-B': '1' }, retries: 0 });
    await parent.withOptions({ headers: { 'x-b': '2' } }).bots.list();
    expect(server.received(baseUrl)[0]?.headers).toMatchObject({ 'x-a': '1', 'x-b': '2' });
    const broken = server.play(reset);
    const error = await parent
      .withOptions({ baseUrl: broken })
      .bots.list()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ attempts: 1 });
    await parent.bots.list();
    expect(server.received(baseUrl)[1]?.headers).toMatchObject({ 'x-a': '1', 'x-b': '1' });
  });

  it('overrides its parent’s header, in whatever case each is written', async () => {
    const baseUrl = server.play(json(200, []));
    let derived = createClient({ baseUrl, headers: { 'x-a': '1' } });
    for (const headers of [{ 'X-A': '2' }, { 'x-a': '3' }]) derived = derived.withOptions({ headers });
    await derived.bots.list();
    await createClient({ baseUrl, headers: { 'User-Agent': 'mine' } })
      .withOptions({ headers: { 'user-agent': 'ours' } })
      .bots.list();
    const [first, second] = server.received(baseUrl);
    expect([first?.headers['x-a'], second?.headers['user-agent']]).toEqual(['3', 'ours']);
  });

  it('keeps its parent’s option if its own is undefined', async () => {
    const baseUrl = server.play(json(503, {}));
    const parent = createClient({ baseUrl, retries: 0 });
    const own = parent.withOptions({ fetch: undefined, retries: undefined, headers: undefined });
    await own.bots.list().safe();
    expect(server.received(baseUrl)).toHaveLength(1);
  });
});

describe('a route that this version does not know', () => {
  it.each([
    ['GET', { path: '/api/a%2Fb?x=1', body: '' }],
    ['PATCH', { path: '/api/a%2Fb', body: '{"x":1}' }],
  ] as const)('is called with its input in the place that %s has for it', async (method, sent) => {
    const baseUrl = server.play(json(200, { y: 2 }));
    const data = await createClient({ baseUrl }).request<{ y: number }>(
      { method, path: '/api/:name' },
      { name: 'a/b', x: 1 },
    );
    expectTypeOf(data).toEqualTypeOf<{ y: number }>();
    expect(data).toEqual({ y: 2 });
    expect(server.received(baseUrl)[0]).toMatchObject({ method, ...sent });
  });

  it.each([
    ['an array', json(200, [1]), [1]],
    ['a number', json(200, 7), 7],
    ['nothing', text(204, ''), undefined],
  ])('may return %s', async (_name, behaviour, data) => {
    const api = createClient({ baseUrl: server.play(behaviour) });
    expect(await api.request({ method: 'DELETE', path: '/api/x' })).toEqual(data);
  });

  it.each([
    ['GET', {}, 2],
    ['PUT', {}, 2],
    ['POST', {}, 1],
    ['PATCH', {}, 1],
    ['POST', { retries: 1 }, 2],
    ['POST', { retries: undefined }, 1],
    ['PATCH', { retries: undefined }, 1],
    ['GET', { retries: undefined }, 2],
  ] as const)('is retried only where that is safe: %s %j', async (method, options, attempts) => {
    const api = createClient({ baseUrl: server.play(reset), retries: 1 });
    const error = await api.request({ method, path: '/api/x' }, {}, options).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'NetworkError', attempts, operation: `${method} /api/x` });
  });
});

describe('.collect()', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 2],
    [9, 2],
  ])('takes at most %i entries, and requests %i pages', async (max, pages) => {
    const page = (items: string[], link: object) => json(200, items, { ...link });
    const baseUrl = server.play(
      page(['a', 'b'], { link: '</api/bots?limit=2&cursor=x>; rel="next"' }),
      page(['c'], {}),
    );
    const items = await createClient({ baseUrl }).bots.iterate({ limit: 2 }).collect(max);
    expect(items).toEqual(['a', 'b', 'c'].slice(0, max));
    expect(server.received(baseUrl).length).toBe(pages);
  });
});

describe('a 304', () => {
  it('is a result: typed, not retried, and no failure to hooks', async () => {
    const failures: unknown[] = [];
    const baseUrl = server.play(text(304, '', { etag: '"1"' }));
    const outcome = await createClient({ baseUrl, hooks: { onError: (event) => void failures.push(event) } })
      .bots.list({}, { headers: { 'If-None-Match': '"1"' } })
      .safe();
    if (outcome.ok || outcome.status !== 304) throw new Error('expected a 304');
    expectTypeOf(outcome.error.problem).toEqualTypeOf<undefined>();
    expect(outcome.error.response.headers.get('etag')).toBe('"1"');
    expect(failures).toEqual([]);
    expect(server.received(baseUrl)).toMatchObject([{ headers: { 'if-none-match': '"1"' } }]);
  });
});

describe('events of unknown types', () => {
  const event = (id: string, type: string) => `id: ${id}\ndata: ${JSON.stringify({ id, type, data: {} })}\n\n`;

  it('are yielded on request, and can be distinguished from the known ones', async () => {
    const baseUrl = server.play(stream([event('1', 'bot.renamed'), event('2', 'bot.created')], 'open'));
    const seen: unknown[] = [];
    for await (const one of createClient({ baseUrl }).events.stream({}, { unknownTypes: true })) {
      expectTypeOf(one).toEqualTypeOf<DirectoryEvent | UnknownEvent>();
      seen.push([one.type, isKnownEvent(one)]);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([
      ['bot.renamed', false],
      ['bot.created', true],
    ]);
  });
});

describe('the type of an event', () => {
  const connection = connect({ baseUrl: 'http://nowhere.example.com' });
  const { events } = createClient({ baseUrl: 'http://nowhere.example.com' });
  type Known = AsyncGenerator<DirectoryEvent, void, undefined>;
  type Any = AsyncGenerator<DirectoryEvent | UnknownEvent, void, undefined>;

  it('is known, unless the options may say otherwise', () => {
    const options: StreamOptions = {};
    const unknownTypes = options.unknownTypes === true;
    expectTypeOf(events.stream()).toEqualTypeOf<Known>();
    expectTypeOf(events.stream({}, { retries: 1, unknownTypes: false })).toEqualTypeOf<Known>();
    expectTypeOf(events.stream({}, { unknownTypes: true })).toEqualTypeOf<Any>();
    expectTypeOf(events.stream({}, { unknownTypes })).toEqualTypeOf<Any>();
    expectTypeOf(events.stream({}, options)).toEqualTypeOf<Any>();
    expectTypeOf(streamEvents(connection, {})).toEqualTypeOf<Known>();
    expectTypeOf(streamEvents(connection, {}, { unknownTypes: undefined })).toEqualTypeOf<Known>();
    expectTypeOf(streamEvents(connection, {}, { unknownTypes })).toEqualTypeOf<Any>();
  });
});

describe('isApiError', () => {
  it('narrows by nothing, by status or by code', async () => {
    const api = createClient({ baseUrl: server.play(problem(409, 'bot_exists', { members: { slug: 'a' } })) });
    const error: unknown = await api.bots.submit({ link: 'l' }).catch((caught: unknown) => caught);
    expect([isApiError(error), isApiError(error, 409), isApiError(error, 'bot_exists')]).toEqual([true, true, true]);
    expect([isApiError(error, 404), isApiError(error, 'bot_not_found')]).toEqual([false, false]);
    if (isApiError(error, 409)) expectTypeOf(error.status).toEqualTypeOf<409>();
    if (isApiError(error, 'bot_exists')) expect(error.problem.slug).toBe('a');
    const other = new NetworkError({ operation: 'x', attempts: 1 }, new Error());
    expect([isApiError(other), isApiError(undefined), other instanceof ApiError]).toEqual([false, false, false]);
  });
});

describe('the agent', () => {
  it('names the version, unless the caller names another', async () => {
    const baseUrl = server.play(json(200, []));
    await createClient({ baseUrl }).bots.list();
    await createClient({ baseUrl, headers: { 'User-Agent': 'mine' } }).bots.list();
    expect(server.received(baseUrl).map(({ headers }) => headers['user-agent'])).toEqual([
      `bot-directory-sdk/${version}`,
      'mine',
    ]);
  });
});
