/** The limit on writes per client address: IETF `RateLimit` headers, and beyond it a problem with `Retry-After`. */
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { Failure } from '../base/failure.ts';
import { networkOf } from '../domain/ip-address.ts';

/** `store` undefined: writes are counted in this process only. */
export const limitWrites = (
  { limit, windowMs }: { readonly limit: number; readonly windowMs: number },
  store: Store | undefined,
): RequestHandler =>
  rateLimit({
    limit,
    windowMs,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    ...(store === undefined ? {} : { store }),
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

/** The client of a request, behind the operator's proxies. The addresses of an IPv6 network are one client. */
export const clientOf = (req: IncomingMessage): string => {
  dropPorts(req);
  // The server makes all requests from Express's class.
  return networkOf((req as Request).ip ?? '');
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
