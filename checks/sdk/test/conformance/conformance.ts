/**
 * What the package promises in every runtime, checked only with what all of them have. It is bundled with the built
 * package, runs in each runtime, and returns what failed.
 */
import { equal, runChecks, type Checks } from '@bot-directory/check-runtimes/conformance';
import {
  AbortedError,
  ApiError,
  BotDirectoryError,
  connect,
  createClient,
  DecodeError,
  getBot,
  NetworkError,
  TimeoutError,
} from '@bot-directory/sdk';

const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => error,
  );

type Play = (scenario: string) => string;

const checks: Checks<Play> = {
  'a list, with fields it does not know and headers that are exposed': async (play) => {
    const { data, response } = await createClient({ baseUrl: play('list') })
      .bots.list({ q: 'a' })
      .withResponse();
    equal(data, [{ slug: 'a', colour: 'red' }]);
    equal(response.headers.get('x-total-count'), '1');
  },
  'pages, followed by their links': async (play) => {
    const items: unknown[] = [];
    for await (const item of createClient({ baseUrl: play('pages') }).bots.iterate({ limit: 2 })) items.push(item);
    equal(items, ['a', 'b', 'c']);
  },
  'path parameters, encoded': async (play) => {
    const answer: unknown = await getBot(connect({ baseUrl: play('echo') }), { slug: 'a/b?c#d é' });
    equal(answer, { method: 'GET', path: '/api/bots/a%2Fb%3Fc%23d%20%C3%A9', body: '' });
  },
  'path parameters, refused': async (play) => {
    const api = createClient({ baseUrl: play('echo') });
    for (const slug of ['', '.', '..']) equal((await thrownBy(api.bots.get({ slug }))) instanceof TypeError, true);
  },
  'bodies, of POST and DELETE': async (play) => {
    const api = createClient({ baseUrl: play('echo') });
    equal(await api.bots.addIntegrations({ slug: 'a', integrations: ['ü'] }), {
      method: 'POST',
      path: '/api/bots/a/integrations',
      body: '{"integrations":["ü"]}',
    });
    equal(await api.webhooks.remove({ url: 'u' }), {
      method: 'DELETE',
      path: '/api/webhooks/bots',
      body: '{"url":"u"}',
    });
  },
  'retries over resets and bad gateways': async (play) =>
    equal(await createClient({ baseUrl: play('flaky') }).bots.list(), []),
  'Retry-After, obeyed': async (play) => {
    const startedAt = Date.now();
    equal(await createClient({ baseUrl: play('limited') }).bots.list(), []);
    equal(Date.now() - startedAt >= 950, true);
  },
  'Retry-After past the deadline': async (play) => {
    const error = await thrownBy(createClient({ baseUrl: play('busy') }).bots.list());
    equal(error instanceof ApiError && [error.status, error.code, error.retryAfterMs, error.attempts], [
      429,
      'rate_limited',
      120_000,
      1,
    ]);
  },
  'a time-out over the body': async (play) => {
    const error = await thrownBy(createClient({ baseUrl: play('hanging'), timeoutMs: 200, retries: 0 }).bots.list());
    equal(error instanceof TimeoutError && error.limitMs, 200);
  },
  'an abort while the body is read': async (play) => {
    const controller = new AbortController();
    const abortAfterHeaders: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      setTimeout(() => controller.abort());
      return response;
    };
    const client = createClient({ baseUrl: play('hanging'), fetch: abortAfterHeaders });
    equal((await thrownBy(client.bots.list({}, { signal: controller.signal }))) instanceof AbortedError, true);
  },
  'garbage and nothing': async (play) => {
    for (const name of ['garbage', 'empty'])
      equal((await thrownBy(createClient({ baseUrl: play(name) }).bots.list())) instanceof DecodeError, true);
  },
  'a problem, with the name of its request': async (play) => {
    const error = await thrownBy(createClient({ baseUrl: play('missing') }).bots.get({ slug: 'a' }));
    equal(error instanceof ApiError && [error.status, error.code, error.requestId], [404, 'bot_not_found', 'req_1']);
    equal([error instanceof BotDirectoryError, error instanceof NetworkError], [true, false]);
  },
  'a proxy in the way': async (play) => {
    const outcome = await createClient({ baseUrl: play('proxy'), retries: 0 })
      .bots.list()
      .safe();
    equal(!outcome.ok && [outcome.status, outcome.error instanceof ApiError && outcome.error.status], [null, 503]);
  },
  'nobody there': async () => {
    const error = await thrownBy(createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 }).bots.list());
    equal(error instanceof NetworkError && error.code, 'network');
  },
  'a conflict, and one that is its own success': async (play) => {
    const conflict = await createClient({ baseUrl: play('conflict') })
      .bots.submit({ link: 'l' })
      .safe();
    equal(!conflict.ok && conflict.status === 409 && conflict.error.problem.slug, 'a');
    equal(await createClient({ baseUrl: play('lost') }).bots.submit({ link: 'l' }), { slug: 'a', url: '/bots/a' });
  },
  'a stream that is cut and resumes': async (play) => {
    const ids: string[] = [];
    const baseUrl = play('stream');
    for await (const { id } of createClient({ baseUrl }).events.stream()) {
      if (ids.push(id) === 3) break;
      // It is cut now.
      if (ids.length === 1) await fetch(`${baseUrl}/read`);
    }
    equal(ids, ['1', '2', '3']);
  },
};

/** Runs every check. Returns name → what went wrong, or null. */
export const run = (server: { origin: string; run: string }): Promise<Record<string, string | null>> =>
  runChecks(checks, (scenario) => `${server.origin}/${scenario}~${server.run}-${Math.random()}`);
