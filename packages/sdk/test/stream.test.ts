/** The event stream: complete and in order, however its connections end. */
import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  AbortedError,
  createClient,
  DecodeError,
  type Fetch,
  type Hooks,
  type StreamOptions,
  TimeoutError,
} from '../src/index.ts';
import {
  type Behaviour,
  json,
  problem,
  reset,
  startMisbehavingServer,
  stream,
  text,
} from './support/misbehaving-server.ts';

let server: Awaited<ReturnType<typeof startMisbehavingServer>>;
beforeAll(async () => void (server = await startMisbehavingServer()));
afterAll(() => server.close());

const event = (id: string, type = 'bot.created') =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, data: { slug: id } })}\n\n`;
const pathsAt = (baseUrl: string) => server.received(baseUrl).map(({ path }) => path);

const html = (status: number) => text(status, '<html>', { 'content-type': 'text/html' });

/** Reads until `count` events are there or the stream throws. */
const read = async (
  baseUrl: string,
  count: number,
  options: StreamOptions & { after?: string } = {},
  onEvent: () => void = () => {},
) => {
  const ids: string[] = [];
  try {
    for await (const { id } of createClient({ baseUrl }).events.stream({ after: options.after }, options)) {
      ids.push(id);
      onEvent();
      if (ids.length === count) return { ids, error: undefined };
    }
    return { ids, error: 'ended' };
  } catch (error) {
    return { ids, error };
  }
};

describe('a stream', () => {
  it.each<[string, Behaviour[]]>([
    ['ends', [stream([event('1'), event('2')], 'end')]],
    ['is cut', [stream([event('1'), event('2')], 'cut')]],
    ['is cut in the middle of an event', [stream([event('1'), event('2'), 'id: 3\ndata: {"id"'], 'cut')]],
    ['falls silent', [stream([event('1'), event('2')], 'open')]],
    [
      'is refused for a while',
      [stream([event('1'), event('2')], 'end'), problem(503, 'store_unavailable'), reset, text(502, '')],
    ],
  ])('resumes after the last event when it %s', async (_name, script) => {
    const baseUrl = server.play(...script, stream([event('3'), event('4')], 'open'));
    let count = 0;
    const onEvent = () => void (++count === 2 && fetch(`${baseUrl}/read`));
    const found = await read(baseUrl, 4, { idleTimeoutMs: 150 }, onEvent);
    expect(found).toEqual({ ids: ['1', '2', '3', '4'], error: undefined });
    expect([...new Set(pathsAt(baseUrl))]).toEqual(['/api/events/stream', '/api/events/stream?after=2']);
  });

  it.each([
    ['a web page', html(200)],
    ['no content', text(204, '')],
    ['a status that only proxies have', html(520)],
    ['a proxy’s 404', html(404)],
    ['a proxy’s 403, as JSON', json(403, { code: 'FORBIDDEN' })],
  ])('goes on after %s in its place, also as the first response', async (_name, fault) => {
    const baseUrl = server.play(fault, stream([event('1')], 'end'), fault, fault, fault, stream([event('2')], 'open'));
    vi.spyOn(Math, 'random').mockReturnValue(0.01);
    const found = await read(baseUrl, 2);
    vi.restoreAllMocks();
    expect(found).toEqual({ ids: ['1', '2'], error: undefined });
  });

  it('waits for its first connection as long as a proxy’s own errors go on', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.01);
    const found = await read(server.play(...Array<Behaviour>(5).fill(html(520)), stream([event('1')], 'open')), 1);
    vi.restoreAllMocks();
    expect(found.ids).toEqual(['1']);
  });

  it('starts where the caller says, and asks for an event stream, or a problem that says why not', async () => {
    const baseUrl = server.play(stream([event('8')], 'open'));
    await read(baseUrl, 1, { after: '7' });
    expect(server.received(baseUrl)[0]).toMatchObject({
      path: '/api/events/stream?after=7',
      headers: { accept: 'text/event-stream, application/problem+json' },
    });
  });

  it('is known by its type in any case', async () => {
    const baseUrl = server.play((response) => {
      response.writeHead(200, { 'content-type': 'Text/Event-Stream;charset=UTF-8' }).write(event('1'));
    });
    expect((await read(baseUrl, 1)).ids).toEqual(['1']);
  });

  it.each([
    ['with data', 'id: 5\nevent: position\ndata: {"after":"5"}\n\n'],
    ['without data', 'id: 5\n\n'],
  ])('resumes after a position %s, which it does not yield', async (_name, position) => {
    const baseUrl = server.play(stream([position, ': beat\n\n'], 'end'), stream([event('6')], 'open'));
    expect((await read(baseUrl, 1, { unknownTypes: true })).ids).toEqual(['6']);
    expect(pathsAt(baseUrl)[1]).toBe('/api/events/stream?after=5');
  });

  it('goes on with the oldest event when the log no longer has its last one, and reports the gap', async () => {
    const gap = 'event: gap\ndata: {"after":"2"}\n\n';
    const baseUrl = server.play(stream([event('1'), event('2')], 'end'), stream([gap, event('8')], 'open'));
    const gaps: string[] = [];
    const ids: unknown[] = [];
    const options = { unknownTypes: true, onGap: () => void gaps.push(`after ${String(ids.at(-1))}`) };
    for await (const { id } of createClient({ baseUrl }).events.stream({}, options)) if (ids.push(id) === 3) break;
    expect(ids).toEqual(['1', '2', '8']);
    expect(gaps).toEqual(['after 2']);
  });

  it('skips events that this version does not know, and resumes after them', async () => {
    const baseUrl = server.play(
      stream([event('1'), event('2', 'bot.renamed'), 'data: 7\n\n'], 'end'),
      stream([event('3')], 'open'),
    );
    expect((await read(baseUrl, 2)).ids).toEqual(['1', '3']);
    expect(pathsAt(baseUrl)[1]).toBe('/api/events/stream?after=2');
  });

  it('does not yield an event twice if the server sends it again', async () => {
    const baseUrl = server.play(
      stream([event('1'), event('1'), event('2')], 'end'),
      stream([event('1'), event('2'), event('3')], 'open'),
    );
    expect((await read(baseUrl, 3)).ids).toEqual(['1', '2', '3']);
    const after = server.play(stream([event('7'), event('8')], 'open'));
    expect((await read(after, 1, { after: '7' })).ids).toEqual(['8']);
  });

  it('remembers only the last thousand events for that', async () => {
    const all = Array.from({ length: 1_001 }, (_, index) => String(index));
    const baseUrl = server.play(
      stream(
        [...all, '1', '0', 'end'].map((id) => event(id)),
        'open',
      ),
    );
    expect((await read(baseUrl, 1_003)).ids).toEqual([...all, '0', 'end']);
  });

  it('yields every event that has no id', async () => {
    const nameless = 'data: {"type":"bot.created","data":{}}\n\n';
    expect((await read(server.play(stream([nameless, nameless], 'open')), 2)).ids).toEqual([undefined, undefined]);
  });

  it('waits as long as the server asks it to', async () => {
    const baseUrl = server.play(stream(['retry: 300\n\n', event('1')], 'end'), stream([event('2')], 'open'));
    await read(baseUrl, 2);
    const [first, second] = server.received(baseUrl);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(290);
  });
});

describe('a stream ends', () => {
  it.each([
    ['there is no store', problem(503, 'saving_not_configured'), { name: 'ApiError', code: 'saving_not_configured' }],
    ['the address is wrong', problem(404, 'not_found'), { name: 'ApiError', code: 'not_found' }],
  ])('with an error when %s', async (_name, fault, error) => {
    const baseUrl = server.play(fault);
    expect((await read(baseUrl, 1)).error).toMatchObject(error);
    expect(pathsAt(baseUrl).length).toBe(1);
  });

  it.each([
    ['a web page', html(200), { name: 'DecodeError' }],
    ['JSON', json(200, []), { name: 'DecodeError' }],
    ['nothing', text(204, ''), { name: 'DecodeError' }],
    ['a proxy’s 404', html(404), { name: 'ApiError', status: 404 }],
  ])('after as many retries as a call has, if it has never received anything but %s', async (_name, fault, error) => {
    const baseUrl = server.play(reset, fault);
    expect((await read(baseUrl, 1)).error).toMatchObject({ ...error, attempts: 4 });
    const once = createClient({ baseUrl: server.play(fault), retries: 0 }).events.stream();
    await expect(once.next()).rejects.toMatchObject({ ...error, attempts: 1 });
  });

  it('with a TimeoutError when fetch hands a body over only at its end, as React Native’s does', async () => {
    const baseUrl = server.play(stream([event('1')], 'open'));
    const fetch: Fetch = async (url, init) => {
      const whole = await globalThis.fetch(url, init);
      return new Response(await whole.text(), whole);
    };
    const { events } = createClient({ baseUrl, fetch, retries: 1, timeoutMs: 100 });
    const error: unknown = await events
      .stream()
      .next()
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TimeoutError);
    expect((error as TimeoutError).message).toContain('pass a `fetch` that can stream');
    expect(pathsAt(baseUrl).length).toBe(2);
    // Unless the caller says how long to be patient.
    await expect(events.stream({}, { retries: 2 }).next()).rejects.toMatchObject({ attempts: 3 });
  });

  it('with a DecodeError when an event is garbage', async () => {
    expect((await read(server.play(stream([event('1'), 'data: {\n\n'], 'open')), 2)).error).toBeInstanceOf(DecodeError);
  });

  it('with a DecodeError when fetch gives no web stream, which is closed', async () => {
    const body = Readable.from(['']);
    const response = new Response(null, { headers: { 'content-type': 'text/event-stream' } });
    Object.defineProperty(response, 'body', { value: body });
    const api = createClient({ baseUrl: 'http://nowhere.example.com', fetch: () => Promise.resolve(response) });
    const error: unknown = await api.events
      .stream()
      .next()
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DecodeError);
    expect(error).toMatchObject({ attempts: 1, cause: { name: 'TypeError' } });
    expect(body.destroyed).toBe(true);
  });

  it('with a DecodeError when a hook has taken the body', async () => {
    const hooks: Hooks = { onResponse: ({ response }) => void response.body?.getReader() };
    const { error } = await read(server.play(stream([event('1')], 'open')), 1, { hooks });
    expect(error).toBeInstanceOf(DecodeError);
    expect(error).toMatchObject({ attempts: 1, cause: { name: 'TypeError' } });
  });

  it('after more failures in a row than it may have', async () => {
    const baseUrl = server.play(reset, stream([event('1')], 'end'), reset, problem(500, 'internal_error'));
    expect(await read(baseUrl, 2, { retries: 2 })).toMatchObject({ ids: ['1'], error: { status: 500, attempts: 4 } });
  });

  it('with a TimeoutError when the server does not respond', async () => {
    const baseUrl = server.play(() => {});
    expect((await read(baseUrl, 1, { retries: 0, timeoutMs: 40 })).error).toBeInstanceOf(TimeoutError);
  });

  it('after too many failures in a row, however long each took', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const deaf = createClient({ baseUrl: 'http://deaf.example.com', fetch: () => new Promise(() => {}) });
    const failed = deaf.events
      .stream({}, { retries: 1, timeoutMs: 30_000 })
      .next()
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(61_000);
    vi.useRealTimers();
    expect(await failed).toMatchObject({ name: 'TimeoutError', attempts: 2 });
  });

  it('by its signal, which keeps no listener', async () => {
    const controller = new AbortController();
    const baseUrl = server.play(stream([event('1')], 'open'));
    const abortSoon = () => void setImmediate(() => controller.abort('enough'));
    const { ids, error } = await read(baseUrl, 2, { signal: controller.signal }, abortSoon);
    expect(ids).toEqual(['1']);
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ cause: 'enough' });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  const page: Behaviour = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<html>');
  // Kept, because a runtime may close what nobody can read any longer.
  const kept: Response[] = [];
  const mistake: Hooks = {
    onResponse: ({ response }) => {
      kept.push(response);
      throw new RangeError('in the hook');
    },
  };
  it.each<[string, Behaviour, StreamOptions]>([
    ['by break', stream([event('1')], 'open'), {}],
    ['because the response is not a stream', page, {}],
    ['because a hook throws', stream([event('1')], 'open'), { hooks: mistake }],
  ])('and closes the connection: %s', async (_name, behaviour, options) => {
    const closed = new Promise((resolve) => {
      const baseUrl = server.play((response, ...rest) => {
        response.on('close', () => resolve('closed'));
        behaviour(response, ...rest);
      });
      void read(baseUrl, 1, options);
    });
    expect(await Promise.race([closed, sleep(2_000, 'open')])).toBe('closed');
  });
});
