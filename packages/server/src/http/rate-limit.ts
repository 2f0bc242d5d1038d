/** The limit on writes per client address: IETF `RateLimit` headers, and beyond it a problem with `Retry-After`. */
import type { RequestHandler } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { Failure } from '../base/failure.ts';

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
          `At most ${limit} writes in ${Math.round(windowMs / 1_000)} seconds are taken from one address.`,
        ),
      );
    },
  });
