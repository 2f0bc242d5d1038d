/**
 * The Express app: health, metrics, what is mounted on it, the limit on writes, and unknown paths. Reads are answered
 * before it.
 */
import type { IncomingMessage } from 'node:http';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request as ExpressRequest,
  type RequestHandler,
} from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { Failure } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Config } from '../config.ts';
import { networkOf } from '../domain/ip-address.ts';
import type { Paths, Route } from './paths.ts';
import { answerError, nothingHere, type FailurePage } from './problems.ts';

/** What the app needs. */
export type AppDeps = {
  readonly config: Config;
  readonly log: Log;
  readonly paths: Paths;
  /** Mounts what only some roles serve. */
  readonly mount: (app: Express) => void;
  /** Makes the page of an error; undefined where no pages are served. */
  readonly failurePage: FailurePage | undefined;
  /** Whether requests should be sent here: the process has read the whole directory, and is not stopping. */
  readonly ready: () => Promise<boolean>;
  /** Whether the store responds now. */
  readonly isStoreUp: () => Promise<boolean>;
  /** Why `ready` or `isStoreUp` is false. */
  readonly trouble: () => string;
  /** The app's own counters, and the Prometheus text of all metrics. */
  readonly metrics: {
    readonly counted: Metrics['http'];
    readonly read: () => Promise<string>;
    readonly contentType: string;
  };
};

/** What every role serves. */
export const processRoutes: readonly Route[] = ['/healthz', '/healthz/store', '/readyz', '/metrics'].map((path) => ({
  method: 'GET',
  path,
}));

/** Errors of the system end with the address or name that was tried. */
const withoutAddress = (reason: string): string => reason.replace(/\b(E[A-Z]{3,}) .*/, '$1');

/** Makes the app. */
export const createExpressApp = ({
  config,
  log,
  paths,
  mount,
  failurePage,
  ready,
  isStoreUp,
  trouble,
  metrics,
}: AppDeps): Express => {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('trust proxy', config.trustProxy).set('case sensitive routing', true);
  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/healthz/store', async (_req, res) => {
    if (await isStoreUp()) res.json({ status: 'ok' });
    else res.status(503).json({ status: 'unavailable', reason: withoutAddress(trouble()) });
  });
  app.get('/readyz', async (_req, res) => {
    if (await ready()) res.json({ status: 'ready' });
    else res.status(503).json({ status: 'not ready', reason: withoutAddress(trouble()) });
  });
  if (config.metricsAddress === undefined)
    app.get('/metrics', async (_req, res) => void res.type(metrics.contentType).send(await metrics.read()));
  mount(app);
  app.use((req, _res, next) => {
    const allow = paths.allowedMethods(req.path);
    next(
      allow.length === 0 || allow.includes(req.method)
        ? nothingHere()
        : new Failure('method_not_allowed', `This path accepts ${allow.join(', ')}.`, { allow }),
    );
  });
  const onError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    const requestId = String(res.getHeader('X-Request-Id'));
    answerError(error, res, { log, requestId, baseUrl: config.baseUrl, page: failurePage });
  };
  return app.use(onError);
};

/** Counts a client's write in a window. Returns the writes in the window, and how much of it is left. */
export type CountWrite = (client: string, windowMs: number) => Promise<{ writes: number; leftMs: number }>;

/**
 * The limit on writes per client address: IETF `RateLimit` headers, and beyond it a problem with `Retry-After`. `count`
 * undefined: writes are counted in this process only.
 */
export const limitWrites = (
  { limit, windowMs }: { readonly limit: number; readonly windowMs: number },
  count: CountWrite | undefined,
): RequestHandler =>
  rateLimit({
    limit,
    windowMs,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    ...(count === undefined ? {} : { store: failingOpen(count, windowMs) }),
    // Express resolves the address by the operator's TRUST_PROXY, so an untrusted header is not a misconfiguration.
    validate: { xForwardedForHeader: false, forwardedHeader: false, trustProxy: false },
    handler: (_req, _res, next) => {
      next(
        new Failure(
          'rate_limited',
          `One IP address may send ${limit} writes in ${Math.round(windowMs / 1_000)} seconds.`,
        ),
      );
    },
  });

/** Counts writes in our store. While that is away, no write is refused. Nothing takes a write back. */
const failingOpen = (count: CountWrite, windowMs: number): Store => ({
  increment: async (client) => {
    const { writes, leftMs } = await count(client, windowMs).catch(() => ({ writes: 1, leftMs: windowMs }));
    return { totalHits: writes, resetTime: new Date(Date.now() + leftMs) };
  },
  decrement: () => undefined,
  resetKey: () => undefined,
});

/** The client of a request, behind the operator's proxies. The addresses of an IPv6 network are one client. */
export const clientOf = (req: IncomingMessage): string => {
  dropPorts(req);
  // The server makes all requests from Express's class.
  return networkOf((req as ExpressRequest).ip ?? '');
};

const withPort = /^(?:(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?|\[([\da-f:.]+)\](?::\d+)?)$/i;

/** Makes a request's `X-Forwarded-For` one that Express reads. */
export const dropPorts = ({ headers }: IncomingMessage): void => {
  const forwardedFor = headers['x-forwarded-for'];
  if (typeof forwardedFor === 'string') headers['x-forwarded-for'] = withoutPorts(forwardedFor);
};

/**
 * `X-Forwarded-For` without ports and brackets, so that a client always has the same address. Some proxies write the
 * port, which differs for every connection.
 */
export const withoutPorts = (header: string): string =>
  header
    .split(',')
    .map((entry) => {
      const [, four, six] = withPort.exec(entry.trim()) ?? [];
      return four ?? six ?? entry.trim();
    })
    .join(', ');
