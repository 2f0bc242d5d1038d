/**
 * The hot path: reads of this process's copy of the directory, those of the API and the pages of the site alike.
 * `resource.ts` finds the resource of a URL. Everything else is shared and is here: freshness, 304s, encodings, and
 * representations that are cached until their state changes.
 */
import { BoundedCache } from '../base/bounded-cache.ts';
import { sharedByKey } from '../base/limiter.ts';
import { headerLine, headOf, type Head, type WriteHead } from '../http/node-internals.ts';
import { commonHeaders, inertPolicy, listFailure, nothingHere, setCommonHeaders } from '../http/problems.ts';
import { requestIdOf } from '../http/request-id.ts';
import { sendPieces } from '../http/send-pieces.ts';
import { KeyedResource, resourceFinder, type Content, type ResourceRoute, type ResourceContext } from './resource.ts';
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

/** What handlers depend on, and what is called with errors in the background. */
export type HandlerDeps<Context> = ResourceContext<Context> & {
  readonly baseUrl: string;
  readonly writeHead: WriteHead;
  readonly onError: (error: unknown) => void;
};

const maxCachedBytes = 64 * 1_048_576;
/** What a representation takes besides its body: headers, maps, the key. */
const overheadBytes = 2_000;

/** Makes the handler of a route, which is called for GET and HEAD of its path. */
export type CreateHandler<Context> = (route: ResourceRoute<Context>) => RequestHandler;

/** Makes the handlers of one directory's resources. */
export const createHandlers = <Context>(deps: HandlerDeps<Context>): CreateHandler<Context> => {
  const { directory, writeHead, baseUrl } = deps;
  const unchangedHead = (vary: Vary): Head =>
    headOf(304, ['Cache-Control', 'public, no-cache', 'Vary', vary, ...commonHeaders(baseUrl)]);
  const unchanged: Readonly<Record<Vary, Head>> = {
    'Accept-Encoding': unchangedHead('Accept-Encoding'),
    'Accept, Accept-Encoding': unchangedHead('Accept, Accept-Encoding'),
  };
  const sendBest = createSendBest(writeHead);
  const find = resourceFinder(deps);
  const representationOf = createRepresentations(deps);

  /**
   * Responds with the current state. It waits for nothing if the representation exists and the socket accepts it at
   * once.
   */
  const respond = (resource: KeyedResource, req: Request, res: Response): Promise<void> | undefined => {
    const validators = resource.validators();
    // Another change could follow in the same second, by the store's clock, and would have the same date.
    const isDated = validators.changedAtSec > 0 && validators.changedAtSec < Math.floor(directory.checkedAtMs / 1_000);
    const ofRequest = (isDated ? validators.dated : '') + headerLine('X-Request-Id', requestIdOf(req));
    const tag = unchangedTag(req.headers, validators, isDated);
    if (tag !== undefined) {
      writeHead(res, unchanged[resource.vary], headerLine('ETag', tag) + ofRequest);
      res.end();
      return undefined;
    }
    const representation = representationOf(resource, validators);
    if (representation instanceof Promise) return representation.then((made) => sendBest(made, res, ofRequest));
    return sendBest(representation, res, ofRequest);
  };

  const renew = ({ freshness }: KeyedResource, req: Request): Promise<unknown> => {
    if (freshness === undefined) return Promise.resolve();
    if (freshness.of === 'resource') return freshness.renew(req);
    return freshness.also === undefined ? directory.fresh() : Promise.all([directory.fresh(), freshness.also()]);
  };

  return (route) => (req, res, next) => {
    const found = find(route, req);
    if (found === undefined) throw nothingHere();
    if (found instanceof KeyedResource)
      // One promise for each request, not a chain of them.
      void renew(found, req).then(
        () => {
          try {
            respond(found, req, res)?.catch(next);
          } catch (failure) {
            next(failure);
          }
        },
        (error: unknown) => next(found.freshness?.of === 'resource' ? error : listFailure(error)),
      );
    else {
      setCommonHeaders(res, { requestId: requestIdOf(req), baseUrl });
      res.redirect(308, found.redirectTo);
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

/** Representations by resource and state: cached, or made one per tick of the event loop, so that others get a turn. */
const createRepresentations = (deps: Pick<HandlerDeps<never>, 'directory' | 'baseUrl' | 'onError'>) => {
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

  const make = async (resource: KeyedResource): Promise<Representation> => {
    await (turn = turn.then(() => immediately()));
    // The copy may have begun to change since. It may be read only when it is some version of the store.
    while (resource.freshness?.of === 'directory' && !directory.isWhole) await directory.fresh().catch(unreachable);
    const validators = resource.validators();
    const known = find(resource.key, validators.tag);
    if (known !== undefined) return known;
    const representation = represent(validators, { ...(await resource.make()), vary: resource.vary }, deps);
    cached.set(resource.key, representation);
    return representation;
  };

  return (resource: KeyedResource, { tag }: Validators): Representation | Promise<Representation> =>
    find(resource.key, tag) ?? share(`${tag} ${resource.key}`, () => make(resource));
};

const represent = (
  validators: Validators,
  { body, headers: own = inertPolicy, ...described }: Content,
  { baseUrl, onError }: Pick<HandlerDeps<never>, 'baseUrl' | 'onError'>,
): Representation => {
  const description = { ...described, headers: [...own, ...commonHeaders(baseUrl)] };
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? bodyOf(Buffer.from(body)) : body;
  if ('segments' in bytes) return new WholeList(validators, bytes, description, onError);
  return new PlainRepresentation(validators, bytes, description, onError);
};
