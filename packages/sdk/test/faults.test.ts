/** What a call does when the other end misbehaves, against a real server that does. */
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  AbortedError,
  ApiError,
  type ClientOptions,
  createClient,
  DecodeError,
  NetworkError,
  TimeoutError,
} from '../src/index.ts';
import {
  type Behaviour,
  cutBody,
  hang,
  hangBody,
  json,
  problem,
  reset,
  startMisbehavingServer,
  text,
} from './support/misbehaving-server.ts';

let server: Awaited<ReturnType<typeof startMisbehavingServer>>;
beforeAll(async () => void (server = await startMisbehavingServer()));
afterAll(() => server.close());

const client = (baseUrl: string, options: Partial<ClientOptions> = {}) => createClient({ baseUrl, ...options });
const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => error,
  );
const attemptsAt = (baseUrl: string) => server.received(baseUrl).length;

describe('a transient failure', () => {
  it.each([
    ['a reset', reset],
    ['a body cut short', cutBody],
    ['408', text(408, '')],
    ['425', text(425, '')],
    ['429', problem(429, 'rate_limited')],
    ['500', problem(500, 'internal_error')],
    ['502 from a proxy', text(502, '<html>Bad Gateway</html>')],
    ['503', problem(503, 'store_unavailable')],
    ['504', text(504, '')],
  ])('is retried: %s', async (_name, fault) => {
    const baseUrl = server.play(fault, json(200, []));
    expect(await client(baseUrl).bots.list()).toEqual([]);
    expect(attemptsAt(baseUrl)).toBe(2);
  });

  it('is tried three times in all, for reads and writes alike', async () => {
    const reads = server.play(reset);
    const writes = server.play(problem(500, 'internal_error'));
    expect(await errorOf(client(reads).bots.list())).toMatchObject({
      name: 'NetworkError',
      attempts: 3,
      operation: 'bots.list',
    });
    expect(await errorOf(client(writes).feed.add({ url: 'u' }))).toMatchObject({
      name: 'ApiError',
      status: 500,
      attempts: 3,
    });
    expect([attemptsAt(reads), attemptsAt(writes)]).toEqual([3, 3]);
    expect(server.received(writes).map(({ body }) => body)).toEqual(Array(3).fill('{"url":"u"}'));
  });

  it.each([
    [{ retries: 0 }, 1],
    [{ retries: 1 }, 2],
  ])('is tried as often as the client or the call says: %j', async (options, attempts) => {
    const byClient = server.play(reset);
    const byCall = server.play(reset);
    await errorOf(client(byClient, options).bots.list());
    await errorOf(client(byCall, { retries: 2 }).bots.list({}, options));
    expect([attemptsAt(byClient), attemptsAt(byCall)]).toEqual([attempts, attempts]);
  });
});

describe('a permanent failure', () => {
  it.each([
    [400, 'invalid_request'],
    [404, 'bot_not_found'],
    [409, 'bot_exists'],
    [410, 'bot_removed'],
    [413, 'body_too_large'],
    [415, 'unsupported_media_type'],
    [429, 'too_many_webhooks'],
    [503, 'saving_not_configured'],
  ])('is thrown at once: %i %s', async (status, code) => {
    const baseUrl = server.play(problem(status, code));
    const error = await errorOf(client(baseUrl).bots.submit({ link: 'l' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, code, requestId: 'req_1', attempts: 1, problem: { detail: 'on purpose' } });
  });

  it.each([
    ['no JSON', text(200, '<html>Welcome to our Wi-Fi</html>')],
    ['truncated JSON with a matching length', text(200, '[{"id":')],
    ['nothing', text(200, '')],
    ['204', text(204, '')],
    ['an object in place of an array', json(200, {})],
    ['null', json(200, null)],
    ['a string', json(200, 'hello')],
  ])('is a DecodeError when a success holds %s', async (_name, fault) => {
    const baseUrl = server.play(fault);
    const error = await errorOf(client(baseUrl).bots.list());
    expect(error).toBeInstanceOf(DecodeError);
    expect(attemptsAt(baseUrl)).toBe(1);
  });

  it('is a DecodeError when an array comes in place of an object', async () => {
    expect(await errorOf(client(server.play(json(200, []))).bots.get({ slug: 'a' }))).toBeInstanceOf(DecodeError);
  });

  it('is an ApiError with the status when a write is redirected, and no GET is sent in its place', async () => {
    const baseUrl = server.play(text(301, '', { location: '/elsewhere' }));
    expect(await errorOf(client(baseUrl).feed.add({ url: 'u' }))).toMatchObject({ name: 'ApiError', status: 301 });
    expect(server.received(`${server.origin}/elsewhere`)).toEqual([]);
  });
});

describe('a mistake in the call', () => {
  it.each([
    ['a header value', { headers: { 'x-a': 'two\nlines' } }],
    ['a header name', { headers: { 'x a': '1' } }],
  ])('%s that cannot be sent is a TypeError at once, and nothing is sent', async (_name, options) => {
    const baseUrl = server.play(json(200, []));
    const error = await errorOf(client(baseUrl).bots.list({}, options));
    expect(error).toBeInstanceOf(TypeError);
    expect(attemptsAt(baseUrl)).toBe(0);
  });
});

describe('an error body', () => {
  const gateway = json(409, { code: 'CONFLICT', message: 'gateway' });
  const partial = json(409, { code: 'bot_exists', type: 'about:blank', status: 400, title: 't' });
  it.each([
    ['a gateway’s JSON', gateway],
    ['a document about another status', partial],
  ])('that only looks like the API’s is not a problem: %s', async (_name, fault) => {
    const outcome = await client(server.play(fault)).bots.submit({ link: 'l' }).safe();
    expect(outcome).toMatchObject({ ok: false, status: null, error: { status: 409, problem: undefined } });
  });

  it.each(['application/problem+json; charset=utf-8', 'Application/Problem+JSON', 'application/json', 'text/plain'])(
    'is a problem by its shape and status, whatever type a proxy gave it: %s',
    async (type) => {
      const body = { type: 't', title: 't', status: 409, detail: 'd', request_id: 'r', code: 'bot_exists' };
      const outcome = await client(server.play(json(409, body, { 'content-type': type })))
        .bots.submit({ link: 'l' })
        .safe();
      expect(outcome).toMatchObject({ ok: false, status: 409, error: { code: 'bot_exists' } });
    },
  );

  it.each([
    [404, 'not_found'],
    [405, 'method_not_allowed'],
  ])('is not the operation’s response when the address is wrong: %i %s', async (status, code) => {
    const outcome = await client(server.play(problem(status, code)))
      .bots.get({ slug: 'a' })
      .safe();
    expect(outcome).toMatchObject({ ok: false, status: null, error: { status, code } });
  });
});

describe('a newer server', () => {
  it('may send unknown fields, values, codes and statuses', async () => {
    const bot = { slug: 'a', colour: 'red', install_count: '7' };
    expect(await client(server.play(json(200, [bot]))).bots.list()).toEqual([bot]);
    expect(await client(server.play(json(201, { slug: 'a', url: '/bots/a' }))).bots.submit({ link: 'l' })).toEqual({
      slug: 'a',
      url: '/bots/a',
    });
    expect(
      await client(server.play(problem(418, 'teapot')))
        .bots.list()
        .safe(),
    ).toMatchObject({
      status: 418,
      error: { status: 418, code: 'teapot' },
    });
  });

  it("a proxy's error page is not a problem document", async () => {
    const error = await errorOf(client(server.play(text(502, '<html>')), { retries: 0 }).bots.list());
    expect(error).toMatchObject({ status: 502, problem: undefined, code: 'http', requestId: undefined });
  });
});

describe('Retry-After', () => {
  const gaps = (baseUrl: string) =>
    server.received(baseUrl).map(({ atMs }, index, all) => atMs - (all[index - 1]?.atMs ?? atMs));

  it('in seconds is obeyed', async () => {
    const baseUrl = server.play(problem(429, 'rate_limited', { headers: { 'retry-after': '1' } }), json(200, []));
    await client(baseUrl).bots.list();
    expect(gaps(baseUrl)[1]).toBeGreaterThanOrEqual(990);
  });

  it('as a date is obeyed', async () => {
    const date = new Date(Date.now() + 2_000).toUTCString();
    const baseUrl = server.play(problem(503, 'store_unavailable', { headers: { 'retry-after': date } }), json(200, []));
    await client(baseUrl).bots.list();
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(date) - 20);
  });

  it('as a date counts from the date of the response, whatever the clock here says', async () => {
    const headers = { 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' };
    const baseUrl = server.play(problem(429, 'rate_limited', { headers }));
    await expect(createClient({ baseUrl }).bots.list({}, { deadlineMs: 1_000 })).rejects.toMatchObject({
      retryAfterMs: 30_000,
    });
  });

  it('past the deadline ends the call at once, with retryAfterMs on the error', async () => {
    const baseUrl = server.play(problem(429, 'rate_limited', { headers: { 'retry-after': '30' } }));
    expect(await errorOf(client(baseUrl, { deadlineMs: 10_000 }).bots.list())).toMatchObject({
      status: 429,
      retryAfterMs: 30_000,
      attempts: 1,
    });
  });
});

describe('time', () => {
  it.each([
    ['headers', hang],
    ['the body', hangBody],
  ])('runs out over %s', async (_name, fault) => {
    const baseUrl = server.play(fault);
    const error = await errorOf(client(baseUrl, { timeoutMs: 60, retries: 1 }).bots.list());
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ limitMs: 60, attempts: 2 });
  });

  it('of the whole call bounds the attempts in it', async () => {
    const baseUrl = server.play(hang);
    const startedAt = performance.now();
    expect(
      await errorOf(client(baseUrl, { timeoutMs: 60_000, deadlineMs: 100, retries: 9 }).bots.list()),
    ).toBeInstanceOf(TimeoutError);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(attemptsAt(baseUrl)).toBe(1);
  });

  it('names the limit that ran out, as it was set', async () => {
    const attempt = server.play(hang);
    const whole = server.play(hang);
    const errors = await Promise.all([
      errorOf(client(attempt, { timeoutMs: 40, retries: 0 }).bots.list()),
      errorOf(client(whole, { deadlineMs: 40, retries: 0 }).bots.list()),
    ]);
    expect(errors.map((error) => (error as Error).message)).toEqual([
      'bots.list: no whole answer within 40 ms (timeoutMs)',
      'bots.list: no whole answer within 40 ms (deadlineMs)',
    ]);
  });

  it('that is nearly up sends no further write', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.97);
    // The wait is 485 ms of 500: what is left is too short for a response.
    const baseUrl = server.play(problem(503, 'store_unavailable'));
    expect(await errorOf(client(baseUrl, { deadlineMs: 500 }).feed.add({ url: 'u' }))).toMatchObject({ attempts: 1 });
    random.mockRestore();
    expect(attemptsAt(baseUrl)).toBe(1);
  });

  it('goes on while a hook works, and nothing is sent when it is up', async () => {
    const baseUrl = server.play(json(200, []));
    const hooks = { onRequest: () => new Promise<void>((resolve) => setTimeout(resolve, 80)) };
    expect(await errorOf(client(baseUrl, { deadlineMs: 40, hooks }).bots.list())).toBeInstanceOf(TimeoutError);
    expect(attemptsAt(baseUrl)).toBe(0);
  });

  it('runs out even when fetch ignores its signal', async () => {
    const deaf = client('http://deaf.example.com', { fetch: () => new Promise(() => {}), timeoutMs: 10, retries: 0 });
    expect(await errorOf(deaf.bots.list())).toBeInstanceOf(TimeoutError);
  });
});

describe('a signal', () => {
  it('aborts before anything is sent', async () => {
    const baseUrl = server.play(json(200, []));
    const error = await errorOf(client(baseUrl).bots.list({}, { signal: AbortSignal.abort('enough') }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ cause: 'enough' });
    expect(attemptsAt(baseUrl)).toBe(0);
  });

  const tooMuch = problem(503, 'store_unavailable', { headers: { 'retry-after': '30' } });
  it.each<[string, Behaviour, (abortSoon: () => void) => Partial<ClientOptions>]>([
    [
      'the headers',
      hang,
      (abortSoon) => ({
        fetch: (...args) => {
          abortSoon();
          return fetch(...args);
        },
      }),
    ],
    ['the body', hangBody, (abortSoon) => ({ fetch: (...args) => fetch(...args).finally(abortSoon) })],
    ['the next attempt', tooMuch, (onRetry) => ({ hooks: { onRetry } })],
  ])('aborts while the call waits for %s', async (_name, fault, optionsOf) => {
    const baseUrl = server.play(fault);
    const controller = new AbortController();
    const options = optionsOf(() => void setImmediate(() => controller.abort()));
    const call = client(baseUrl, options).bots.list({}, { signal: controller.signal });
    expect(await errorOf(call)).toBeInstanceOf(AbortedError);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('keeps no listener, however many calls share it and however they end', async () => {
    const { signal } = new AbortController();
    const good = client(server.play(json(200, [])));
    const bad = client(server.play(reset), { retries: 1 });
    const late = client(server.play(hangBody), { retries: 0, timeoutMs: 20 });
    await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        errorOf(([good, bad, late][index % 3] ?? good).bots.list({}, { signal })),
      ),
    );
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a write whose first response was lost', () => {
  const there = { id: 'x_1', slug: 'a', url: 'https://there.example.com/' };
  const exists = (code: string) => problem(409, code, { members: there });
  /** A conflict with a bot that was published some time before the response, by a server with a clock of its own. */
  const existsSince = (ageMs: number, sent = 'Fri, 02 Jan 2026 03:04:05 GMT') => {
    const created_at = new Date(Date.UTC(2026, 0, 2, 3, 4, 5) - ageMs).toISOString();
    return problem(409, 'bot_exists', { members: { ...there, created_at }, headers: { date: sent } });
  };
  const lost = [
    ['a reset', reset],
    ['a 500', text(500, '')],
    ['a time-out', hang],
  ] as const;

  it.each(lost)('reports its own success after %s', async (_name, fault) => {
    const api = (code: string) => client(server.play(fault, exists(code)), { timeoutMs: 100 });
    expect(await api('bot_exists').bots.submit({ link: 'l' })).toEqual({ slug: 'a', url: there.url });
    expect(await api('post_exists').feed.add({ url: 'u' })).toEqual({ id: 'x_1', url: there.url });
    const webhook = {
      id: 'x_1',
      url: there.url,
      outcome: 'unchanged',
      events: ['bot.created'],
      filter: null,
      format: null,
      has_secret: false,
      has_headers: false,
    };
    const conflict = problem(409, 'webhook_exists', { members: webhook });
    const again = client(server.play(fault, conflict), { timeoutMs: 100 });
    expect(await again.webhooks.add({ url: 'u' })).toEqual(webhook);
  });

  it('reports a removal that the first attempt made', async () => {
    const baseUrl = server.play(reset, problem(404, 'webhook_not_found'));
    const url = 'https://there.example.com/hook';
    expect(await client(baseUrl).webhooks.remove({ url }).safe()).toMatchObject({
      ok: true,
      status: 200,
      data: { url },
    });
  });

  it.each([0, 900, -500])('reports its own success with a bot that is younger than the call: %i ms', async (ageMs) => {
    const api = client(server.play(reset, existsSince(ageMs)));
    expect(await api.bots.submit({ link: 'l' })).toEqual({ slug: 'a', url: there.url });
  });

  it('reports its own success whatever came in between', async () => {
    const baseUrl = server.play(reset, problem(429, 'rate_limited'), exists('bot_exists'));
    expect(await client(baseUrl).bots.submit({ link: 'l' })).toEqual({ slug: 'a', url: there.url });
  });

  it.each([
    ['the first response was a conflict', [exists('bot_exists')]],
    ['the earlier attempt was only rate-limited', [problem(429, 'rate_limited'), exists('bot_exists')]],
    ['nothing can have been saved before', [problem(503, 'template_provider_unavailable'), exists('bot_exists')]],
    ['the conflict is of another kind', [reset, problem(409, 'bot_removed')]],
    ['the bot is older than the call', [reset, existsSince(3_600_000)]],
    ['it is unknown whether the bot is older than the call', [reset, existsSince(0, '')]],
    ['the conflict does not say what already exists', [reset, problem(409, 'bot_exists')]],
  ])('stays a conflict when %s', async (_name, script) => {
    expect(await errorOf(client(server.play(...script)).bots.submit({ link: 'l' }))).toMatchObject({
      name: 'ApiError',
      status: 409,
    });
  });

  it('stays a conflict when it was a dry run, which publishes nothing', async () => {
    const api = client(server.play(reset, exists('bot_exists')));
    expect(await errorOf(api.bots.submit({ link: 'l', dry_run: true }))).toMatchObject({ status: 409 });
  });

  it('stays a conflict when the first attempt could not connect', async () => {
    const gone = await startMisbehavingServer();
    await gone.close();
    const nobody = gone.origin;
    const baseUrl = server.play(exists('bot_exists'));
    let sent = 0;
    const api = client(nobody, {
      fetch: (url, init) => fetch(sent++ === 0 ? url : url.replace(nobody, baseUrl), init),
    });
    expect(await errorOf(api.bots.submit({ link: 'l' }))).toMatchObject({ status: 409, attempts: 2 });
  });

  it('stays a 404 when nothing was removed', async () => {
    expect(
      await errorOf(client(server.play(problem(404, 'webhook_not_found'))).webhooks.remove({ url: 'u' })),
    ).toMatchObject({ status: 404 });
  });
});

describe('a missing network', () => {
  it('is a NetworkError with its cause', async () => {
    const error = await errorOf(client('http://127.0.0.1:9', { retries: 0 }).bots.list());
    expect(error).toBeInstanceOf(NetworkError);
    expect((error as NetworkError).cause).toBeInstanceOf(TypeError);
    expect(error).not.toHaveProperty('status');
  });
});
