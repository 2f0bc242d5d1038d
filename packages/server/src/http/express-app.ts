/**
 * The Express app. Every request passes it, in these steps: its canonical target, what a request must be, and its
 * route. Every error ends in `problems.ts`.
 */
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import { Failure } from '../base/failure.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config.ts';
import { closeAfter } from './body.ts';
import { hasOneHost } from './host.ts';
import { createOutageLog } from './outages.ts';
import { answerError, type FailurePage } from './problems.ts';
import { requestIdOf } from './request-id.ts';
import { mountRoutes, type Route } from './routes.ts';
import { canonicalTarget } from './target.ts';

export type AppDeps = {
  readonly config: Pick<Config, 'trustProxy' | 'baseUrl'>;
  readonly log: Log;
  readonly routes: readonly Route[];
  /** Makes the page of an error; undefined where no pages are served. */
  readonly failurePage: FailurePage | undefined;
};

/** Makes the app. A middleware that is to see every request goes before its own. */
export const createExpressApp = ({ config, log, routes, failurePage }: AppDeps): Express => {
  const { trustProxy, baseUrl } = config;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('trust proxy', trustProxy);
  app.set('case sensitive routing', true).set('strict routing', true);
  app.use(admit);
  mountRoutes(app, routes, baseUrl);
  const logOutage = createOutageLog(log);
  const onError: ErrorRequestHandler = (error: unknown, req, res, _next) => {
    answerError(error, res, { log, logOutage, requestId: requestIdOf(req), baseUrl, page: failurePage });
  };
  return app.use(onError);
};

/** Refuses what we do not serve at any path, and closes its connection. */
const admit: RequestHandler = (req, res, next) => {
  req.url = canonicalTarget(req.url);
  const failure = refusalOf(req);
  if (failure !== undefined) closeAfter(res);
  next(failure);
};

const refusalOf = (req: Request): Failure | undefined => {
  if (!hasOneHost(req))
    return new Failure('malformed_request', 'A request has exactly one Host header, with a host and an optional port.');
  const { expect } = req.headers;
  if (expect === undefined || req.httpVersion === '1.0' || /(?:^|\W)100-continue(?:$|\W)/i.test(expect))
    return undefined;
  return new Failure('expectation_failed', 'The only supported Expect is 100-continue.');
};
