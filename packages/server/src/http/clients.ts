/** Who sends a request, behind the operator's proxies, and how many writes one client may send. */
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { Failure } from '../base/failure.ts';
import { networkOf } from '../domain/ip-address.ts';

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

/** The client of a request. The addresses of an IPv6 network are one client. */
export const clientOf = ({ ip }: Pick<Request, 'ip'>): string => networkOf(ip ?? '');

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
