/**
 * The hot path: reads of this process's copy of the directory, those of the API and the pages of the site alike.
 * `read.ts` finds what a URL reads. Everything else is shared and is here: freshness, 304s, encodings, and
 * representations that are cached until their state changes.
 */
import { BoundedCache } from '../base/bounded-cache.ts';
import { sharedByKey } from '../base/limiter.ts';
import { headerLine, headOf, type Head, type WriteHead } from '../http/node-internals.ts';
import { commonHeaders, inertPolicy, listFailure, nothingHere, setCommonHeaders } from '../http/problems.ts';
import { requestIdOf } from '../http/request-id.ts';
import { sendPieces } from '../http/send-pieces.ts';
import { KnownRead, readFinder, type Content, type ReadRow, type ReadContext } from './read.ts';
import {
  acceptedEncodings,
  bodyOf,
  PlainRepresentation,
  type Representation,
  type Validators,
  unchangedTag,
  type Variant,
  type Vary,
} from './representation.ts';
import { WholeList } from './whole-list.ts';
import type { Request, RequestHandler, Response } from 'express';
import { setImmediate as immediately } from 'node:timers/promises';

/** What reads depend on, and what is called with errors in the background. */
export type ReadsDeps<Context> = ReadContext<Context> & {
  readonly baseUrl: string;
  readonly writeHead: WriteHead;
  readonly onError: (error: unknown) => void;
};

const maxCachedBytes = 64 * 1_048_576;
/** What a representation takes besides its body: headers, maps, the key. */
const overheadBytes = 2_000;

/** Makes the handler of a row, which is called for GET and HEAD of its path. */
export type ReadHandler<Context> = (row: ReadRow<Context>) => RequestHandler;

/** Makes the handlers of one directory's reads. */
export const createReads = <Context>(deps: ReadsDeps<Context>): ReadHandler<Context> => {
  const { directory, writeHead, baseUrl } = deps;
  const unchangedHead = (vary: Vary): Head =>
    headOf(304, ['Cache-Control', 'public, no-cache', 'Vary', vary, ...commonHeaders(baseUrl)]);
  const unchanged: Readonly<Record<Vary, Head>> = {
    'Accept-Encoding': unchangedHead('Accept-Encoding'),
    'Accept, Accept-Encoding': unchangedHead('Accept, Accept-Encoding'),
  };
  const sendBest = createSendBest(writeHead);
  const readOf = readFinder(deps);
  const representationOf = createRepresentations(deps);

  /**
   * Responds with the current state. It waits for nothing if the representation exists and the socket accepts it at
   * once.
   */
  const respond = (read: KnownRead, req: Request, res: Response): Promise<void> | undefined => {
    const validators = read.validators();
    // Another change could follow in the same second, by the store's clock, and would have the same date.
    const isDated = validators.changedAtSec > 0 && validators.changedAtSec < Math.floor(directory.checkedAtMs / 1_000);
    const ofRequest = (isDated ? validators.dated : '') + headerLine('X-Request-Id', requestIdOf(req));
    const tag = unchangedTag(req.headers, validators, isDated);
    if (tag !== undefined) {
      writeHead(res, unchanged[read.vary], headerLine('ETag', tag) + ofRequest);
      res.end();
      return undefined;
    }
    const representation = representationOf(read, validators);
    if (representation instanceof Promise) return representation.then((made) => sendBest(made, res, ofRequest));
    return sendBest(representation, res, ofRequest);
  };

  const freshFor = ({ state, prepare, also }: KnownRead, req: Request): Promise<unknown> => {
    if (state === undefined) return Promise.resolve();
    if (prepare !== undefined) return prepare(req);
    if (also !== undefined) return Promise.all([directory.fresh(), also()]);
    return directory.fresh();
  };

  return (row) => (req, res, next) => {
    const read = readOf(row, req);
    if (read === undefined) throw nothingHere();
    if (read instanceof KnownRead)
      // One promise for each request, not a chain of them.
      void freshFor(read, req).then(
        () => {
          try {
            respond(read, req, res)?.catch(next);
          } catch (failure) {
            next(failure);
          }
        },
        (error: unknown) => next(read.prepare === undefined ? listFailure(error) : error),
      );
    else {
      setCommonHeaders(res, { requestId: requestIdOf(req), baseUrl });
      res.redirect(308, read.redirectTo);
    }
  };
};

/** Makes what sends the best variant of a representation for a client. */
const createSendBest = (writeHead: WriteHead) => {
  const send = ({ head, pieces }: Variant, res: Response, ofRequest: string): Promise<void> | undefined => {
    if (res.destroyed) return undefined;
    writeHead(res, head, ofRequest);
    if (res.req.method !== 'HEAD') return sendPieces(res, pieces());
    res.end();
    return undefined;
  };
  return (representation: Representation, res: Response, ofRequest: string) => {
    const variant = representation.variant(acceptedEncodings(res.req.headers['accept-encoding']));
    if (variant instanceof Promise) return variant.then((made) => send(made, res, ofRequest));
    return send(variant, res, ofRequest);
  };
};

const unreachable = (error: unknown): never => {
  throw listFailure(error);
};

/** Representations by read and state: cached, or made one per tick of the event loop, so that others get their turn. */
const createRepresentations = (deps: Pick<ReadsDeps<never>, 'directory' | 'baseUrl' | 'onError'>) => {
  const { directory } = deps;
  const cached = new BoundedCache<Representation>({
    max: maxCachedBytes,
    maxEach: maxCachedBytes / 4,
    sizeOf: (key, { heldBytes }) => 2 * key.length + heldBytes + overheadBytes,
    onDrop: (representation) => representation.retire(),
  });
  const share = sharedByKey<Representation>();
  let turn = Promise.resolve();

  const find = (key: string, tag: string): Representation | undefined => {
    const found = cached.get(key);
    return found?.validators.tag === tag ? found : undefined;
  };

  const make = async (read: KnownRead): Promise<Representation> => {
    await (turn = turn.then(() => immediately()));
    // The copy may have begun to change since. It may be read only when it is some version of the store.
    const isOfDirectory = read.state !== undefined && read.prepare === undefined;
    while (isOfDirectory && !directory.isWhole) await directory.fresh().catch(unreachable);
    const validators = read.validators();
    const known = find(read.key, validators.tag);
    if (known !== undefined) return known;
    const representation = represent(validators, { ...(await read.make()), vary: read.vary }, deps);
    cached.set(read.key, representation);
    return representation;
  };

  return (read: KnownRead, { tag }: Validators): Representation | Promise<Representation> => {
    return find(read.key, tag) ?? share(`${tag} ${read.key}`, () => make(read));
  };
};

const represent = (
  validators: Validators,
  { body, headers: own = inertPolicy, ...described }: Content,
  { baseUrl, onError }: Pick<ReadsDeps<never>, 'baseUrl' | 'onError'>,
): Representation => {
  const description = { ...described, headers: [...own, ...commonHeaders(baseUrl)] };
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? bodyOf(Buffer.from(body)) : body;
  if ('segments' in bytes) return new WholeList(validators, bytes, description, onError);
  return new PlainRepresentation(validators, bytes, description, onError);
};
