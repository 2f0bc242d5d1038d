/** The limit on writes per client address: IETF `RateLimit` headers, and a problem with `Retry-After` beyond it. */
import type { RequestHandler } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import { Failure } from '../base/failure.ts';

/** `store` undefined: counted in this process alone. */
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
    // Express has resolved the address by the operator's TRUST_PROXY; a header that is not trusted is no mistake of ours.
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
