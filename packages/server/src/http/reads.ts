/**
 * The hot path: reads of this process's copy of the directory are answered before Express. A route says what a URL
 * reads (`ReadRoute`); a read says which state it depends on (`stamp`) and makes its representation (`make`).
 * Everything else is shared and is here: freshness, 304s, encodings, and representations that are cached until their
 * state changes. To serve more this way, such as pages, add a route to `createReads`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as immediately } from 'node:timers/promises';
import type { Directory } from '../store/directory.ts';
import { acceptedEncodings } from './encodings.ts';
import { KeptRepresentations } from './kept.ts';
import { listFailure } from './problems.ts';
import { corsHeaders, type Representation, type Variant } from './representation.ts';
import { sendPieces } from './send-pieces.ts';
import { unchangedTag, type Stamp } from './stamp.ts';

/** Something to read: equal keys with equal tags have equal bytes. Both functions may throw the Failure to show. */
export type Read = {
  readonly key: string;
  /** Whether it depends on settings only, so that it is served even if the directory cannot be. */
  readonly isFixed?: boolean;
  /** Whether it is a search by words. */
  readonly isSearch?: boolean;
  readonly stamp: () => Stamp;
  readonly make: (stamp: Stamp) => Representation | Promise<Representation>;
};

/** Finds what a path and its search part read; `undefined` for other paths. Throws the Failure to show. */
export type ReadRoute = (path: string, search: string) => Read | undefined;

/** Answers a request if it reads the directory, and returns whether it does. `fail` gets the failure to show. */
export type AnswerRead = (
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  fail: (failure: unknown) => void,
) => boolean;

/** The directory and its routes. */
export type ReadsDeps = { readonly directory: Directory; readonly routes: readonly ReadRoute[] };

const [maxRemembered, maxRememberedLength] = [2_000, 512];

/** Makes the reads of one directory. */
export const createReads = ({ directory, routes }: ReadsDeps): AnswerRead => {
  const readOf = rememberReads(routes);
  const representationOf = createRepresentations(directory);

  /**
   * Responds with the current state. It waits for nothing if the representation exists and the socket accepts it at
   * once.
   */
  const respond = (read: Read, res: ServerResponse, requestId: string): Promise<void> | undefined => {
    const stamp = read.stamp();
    // In the same second, by the store's clock, another change could follow that the date would not tell apart.
    const isDated = stamp.changedAtSec > 0 && stamp.changedAtSec < Math.floor(directory.checkedAtMs / 1_000);
    const ofRequest = isDated ? [...stamp.dated, 'X-Request-Id', requestId] : ['X-Request-Id', requestId];
    const asked = res.req.headers;
    const tag = unchangedTag(asked, stamp, isDated);
    if (tag !== undefined) {
      res.writeHead(304, ['ETag', tag, ...unchangedHeaders, ...ofRequest]).end();
      return undefined;
    }
    const representation = representationOf(read, stamp);
    if (representation instanceof Promise) return representation.then((made) => represent(made, res, ofRequest));
    return represent(representation, res, ofRequest);
  };

  const freshFor = ({ isFixed, isSearch }: Read): Promise<void> => {
    if (isFixed === true) return Promise.resolve();
    return isSearch === true ? directory.freshToSearch() : directory.fresh();
  };

  return (req, res, requestId, fail) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return false;
    let read: Read | undefined;
    try {
      read = readOf(req.url ?? '/');
    } catch (failure) {
      fail(failure);
      return true;
    }
    if (read === undefined) return false;
    const known = read;
    // One promise for each request, not a chain of them.
    void freshFor(known).then(
      () => {
        try {
          respond(known, res, requestId)?.catch(fail);
        } catch (failure) {
          fail(failure);
        }
      },
      (error: unknown) => fail(listFailure(error)),
    );
    return true;
  };
};

const represent = (
  representation: Representation,
  res: ServerResponse,
  ofRequest: readonly string[],
): Promise<void> | undefined => {
  const variant = representation.variant(acceptedEncodings(res.req.headers['accept-encoding']));
  if (variant instanceof Promise) return variant.then((made) => send(made, res, ofRequest));
  return send(variant, res, ofRequest);
};

const send = (
  { headers, pieces }: Variant,
  res: ServerResponse,
  ofRequest: readonly string[],
): Promise<void> | undefined => {
  if (res.destroyed) return undefined;
  res.writeHead(200, headers.concat(ofRequest));
  if (res.req.method !== 'HEAD') return sendPieces(res, pieces());
  res.end();
  return undefined;
};

const unchangedHeaders = ['Cache-Control', 'public, no-cache', 'Vary', 'Accept-Encoding', ...corsHeaders];

const unreachable = (error: unknown): never => {
  throw listFailure(error);
};

/** The reads of short URLs are cached; refused or long ones are worked out each time. */
const rememberReads = (routes: readonly ReadRoute[]): ((url: string) => Read | undefined) => {
  const remembered = new Map<string, Read>();
  return (url) => {
    const known = remembered.get(url);
    if (known !== undefined) return known;
    const mark = url.indexOf('?');
    const [path, search] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
    for (const route of routes) {
      const read = route(path, search);
      if (read === undefined) continue;
      if (url.length <= maxRememberedLength) {
        if (remembered.size >= maxRemembered) remembered.clear();
        remembered.set(url, read);
      }
      return read;
    }
    return undefined;
  };
};

/** Representations by read and state: cached, or made one per tick of the event loop, so that others get their turn. */
const createRepresentations = (directory: Directory) => {
  const kept = new KeptRepresentations();
  const underWay = new Map<string, Promise<Representation>>();
  let turn = Promise.resolve();

  const make = async (read: Read): Promise<Representation> => {
    await (turn = turn.then(() => immediately()));
    // The copy may have begun to change since. It may be read only when it is some version of the store.
    while (read.isFixed !== true && !directory.isWhole) await directory.fresh().catch(unreachable);
    const stamp = read.stamp();
    const known = kept.get(read.key, stamp.tag);
    if (known !== undefined) return known;
    const representation = await read.make(stamp);
    kept.put(read.key, representation);
    return representation;
  };

  return (read: Read, { tag }: Stamp): Representation | Promise<Representation> => {
    const known = kept.get(read.key, tag);
    if (known !== undefined) return known;
    const key = `${tag} ${read.key}`;
    let made = underWay.get(key);
    if (made === undefined) {
      made = make(read).finally(() => underWay.delete(key));
      underWay.set(key, made);
    }
    return made;
  };
};
