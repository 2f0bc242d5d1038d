/** What every role serves: its health and its metrics. */
import type { RequestHandler } from 'express';
import type { Route } from './routes.ts';

/** What they report. */
export type ProcessState = {
  /** Whether requests should be sent here: the process has read the whole directory, and is not stopping. */
  readonly ready: () => Promise<boolean>;
  /** Whether the store responds now. */
  readonly isStoreUp: () => Promise<boolean>;
  /** Why a store that responds accepts no writes; undefined if it does. */
  readonly refusal: () => Promise<string | undefined>;
  /** Why `ready` or `isStoreUp` is false. */
  readonly trouble: () => string;
  /** The Prometheus text of all metrics; undefined if they are served at an address of their own. */
  readonly metrics: { readonly read: () => Promise<string>; readonly contentType: string } | undefined;
};

export const processRoutes = ({ ready, isStoreUp, refusal, trouble, metrics }: ProcessState): readonly Route[] => {
  const get = (path: string, handler: RequestHandler): Route => ({ method: 'GET', path, handlers: [handler] });
  const routes = [
    get('/healthz', (_req, res) => void res.json({ status: 'ok' })),
    get('/healthz/store', async (_req, res) => {
      const reason = (await isStoreUp()) ? await refusal() : trouble();
      if (reason === undefined) res.json({ status: 'ok' });
      else res.status(503).json({ status: 'unavailable', reason: withoutAddress(reason) });
    }),
    get('/readyz', async (_req, res) => {
      if (await ready()) res.json({ status: 'ready' });
      else res.status(503).json({ status: 'not ready', reason: withoutAddress(trouble()) });
    }),
  ];
  if (metrics === undefined) return routes;
  return [
    ...routes,
    get('/metrics', async (_req, res) => void res.type(metrics.contentType).send(await metrics.read())),
  ];
};

/** Errors of the system end with the address or name that was tried. */
const withoutAddress = (reason: string): string => reason.replace(/\b(E[A-Z]{3,}) .*/, '$1');
