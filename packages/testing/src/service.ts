/**
 * A running service for a test file: the app in this process, on a Redis of its own, with a template provider that the
 * test scripts.
 */
import { expect } from 'vitest';
import * as z from 'zod';
import { contract, problem } from '@bot-directory/contract';
import { freePort } from '../../../scripts/port.mjs';
import { startProvider, templateHost, type Provider } from './provider.ts';
import { startTestRedis, type TestRedis } from './redis.ts';
import { type App, createLog, readConfig, startApp, type World } from './server.ts';
import { storeOpener, type TestStoreOptions } from './store.ts';

/** A response, checked against the contract. */
export type Answer<T = unknown> = { readonly status: number; readonly headers: Headers; readonly body: T };

export type Service = Awaited<ReturnType<typeof startService>>;

/** What a test replaces of the world around a service, or moves in it. */
export type TestWorld = Omit<World, 'openStore'> &
  Pick<TestStoreOptions, 'offsetMs'> & { readonly storeDeadlineMs?: number | undefined };

/**
 * `settings`: of the environment. `world`: what is replaced of the world around it. `redis`: share one, or `null` for
 * none.
 */
export type ServiceOptions = {
  readonly settings?: Record<string, string>;
  readonly world?: TestWorld;
  readonly redis?: TestRedis | null;
  readonly provider?: Provider;
};

/** How long a service waits for its store on a busy machine. Requests that a kill cuts off fail after this time. */
const patienceMs = 10_000;

/** For a test that tries what a service does when its store is late: it waits no longer than in production. */
export const noPatience = { storeDeadlineMs: undefined } as const satisfies TestWorld;

/** Starts it. Stop it in `afterAll`. It waits for its store longer than in production: see `noPatience`. */
export const startService = async ({
  settings = {},
  world = {},
  redis: given,
  provider: givenProvider,
}: ServiceOptions = {}) => {
  const redis = given === undefined ? await startTestRedis({ persist: true }) : given;
  const provider = givenProvider ?? (await startProvider());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: url,
    TEMPLATE_HOST: templateHost,
    TEMPLATE_ORIGIN: provider.origin,
    WRITE_RATE_LIMIT: '0',
    // A test that moves the clock would have templates read that it does not expect.
    TEMPLATE_RECHECK: '0',
    LOG_LEVEL: 'silent',
    SHUTDOWN_DELAY: '0s',
    ...(redis === null ? {} : { REDIS_URL: redis.url }),
    ...settings,
  };
  const app: App = await startApp(readConfig(environment), createLog('silent'), serverWorld(world));
  const { api, post, get } = callers(url);
  const link = (id: string): string => `https://${templateHost}/bot/${id}`;
  return {
    url,
    redis,
    provider,
    environment,
    api,
    get,
    post,
    link,
    /** Publishes a bot with this name; its template id is new. */
    publish: async (name: string, more: object = {}): Promise<string> => {
      const answer = await post<{ slug: string }>('/api/bots/submit', {
        link: link(provider.template({ name })),
        ...more,
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body.slug;
    },
    /** Installs a bot from its page. With TRUST_PROXY=loopback each number is a visitor of its own. */
    install: (slug: string, visitor = 1): Promise<Response> =>
      fetch(`${url}/bots/${slug}/install`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': `203.0.113.${visitor}` },
      }),
    stop: async (): Promise<void> => {
      await app.stop();
      if (givenProvider === undefined) await provider.stop();
      if (given === undefined) await redis?.stop();
    },
  };
};

const serverWorld = ({ offsetMs, ...world }: TestWorld): World => {
  const { storeDeadlineMs: deadlineMs, ...others } = { storeDeadlineMs: patienceMs, ...world };
  return { openStore: storeOpener({ offsetMs, deadlineMs }), ...others };
};

/** Requests to a service, whose answers are checked against the contract. */
export const callers = (url: string) => {
  const api = async <T = unknown>(
    method: string,
    path: string,
    init: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer<T>> => {
    const body = init.body === undefined || typeof init.body === 'string' ? init.body : JSON.stringify(init.body);
    const headers = { ...(init.body === undefined ? {} : { 'Content-Type': 'application/json' }), ...init.headers };
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const answer = {
      status: response.status,
      headers: response.headers,
      body: (isJson && text !== '' ? JSON.parse(text) : text) as T,
    };
    if (path.startsWith('/api/') && isJson && text !== '') checkAgainstContract(method, path, answer);
    return answer;
  };
  return {
    api,
    get: <T = unknown>(path: string, headers: Record<string, string> = {}) => api<T>('GET', path, { headers }),
    post: <T = unknown>(path: string, body: unknown) => api<T>('POST', path, { body }),
  };
};

const routes = Object.values(contract).map((route) => ({
  ...route,
  pattern: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`),
}));

/** Fails the test if the route does not declare the status, or the body does not match its schema. */
const checkAgainstContract = (method: string, path: string, { status, headers, body }: Answer): void => {
  expect(headers.get('access-control-allow-origin')).toBe('*');
  if (status >= 400) {
    const shown = problem.parse(body);
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(shown.status).toBe(status);
    expect(shown.request_id).toBe(headers.get('x-request-id'));
  }
  const [pathname = ''] = path.split('?', 1);
  const literal = routes.filter((candidate) => candidate.path === pathname);
  const matching = literal.length > 0 ? literal : routes.filter(({ pattern }) => pattern.test(pathname));
  const route = matching.find((candidate) => candidate.method === method);
  if (route === undefined) return;
  const schema: unknown = (route.responses as Record<number, unknown>)[status];
  expect(schema, `${method} ${path} may not answer ${status}`).toBeDefined();
  if (schema instanceof z.ZodType) schema.parse(body);
};
