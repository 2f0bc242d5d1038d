/**
 * The hot path: reads of this process's copy of the directory are answered before Express, those of the API and the
 * pages of the site alike. `read.ts` finds what a URL reads. Everything else is shared and is here: freshness, 304s,
 * encodings, and representations that are cached until their state changes.
 */
import { BoundedCache } from '../base/bounded-cache.ts';
import { headerLine, headOf, type Head, type WriteHead } from '../http/node-internals.ts';
import { inertPolicy, listFailure } from '../http/problems.ts';
import type { AnswerRead } from '../http/server.ts';
import { readFinder, type Content, type KnownRead, type ReadTable } from './read.ts';
import {
  acceptedEncodings,
  bodyOf,
  PlainRepresentation,
  type Representation,
  type Stamp,
  unchangedTag,
  type Variant,
  type Vary,
} from './representation.ts';
import { WholeList } from './whole-list.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as immediately } from 'node:timers/promises';

/** The table, the headers of every response as a flat list, and what is called with errors in the background. */
export type ReadsDeps<Context> = ReadTable<Context> & {
  readonly headers: readonly string[];
  readonly writeHead: WriteHead;
  readonly onError: (error: unknown) => void;
};

const maxCachedBytes = 64 * 1_048_576;
/** What a representation takes besides its body: headers, maps, the key. */
const overheadBytes = 2_000;

/** Makes the reads of one directory. */
export const createReads = <Context>(deps: ReadsDeps<Context>): AnswerRead => {
  const { directory, writeHead } = deps;
  const unchangedHead = (vary: Vary): Head =>
    headOf(304, ['Cache-Control', 'public, no-cache', 'Vary', vary, ...deps.headers]);
  const unchanged: Readonly<Record<Vary, Head>> = {
    'Accept-Encoding': unchangedHead('Accept-Encoding'),
    'Accept, Accept-Encoding': unchangedHead('Accept, Accept-Encoding'),
  };
  const sendBest = createSender(writeHead);
  const readOf = readFinder(deps);
  const representationOf = createRepresentations(deps);

  /**
   * Responds with the current state. It waits for nothing if the representation exists and the socket accepts it at
   * once.
   */
  const respond = (read: KnownRead, res: ServerResponse, requestId: string): Promise<void> | undefined => {
    const stamp = read.stamp();
    // Another change could follow in the same second, by the store's clock, and would have the same date.
    const isDated = stamp.changedAtSec > 0 && stamp.changedAtSec < Math.floor(directory.checkedAtMs / 1_000);
    const ofRequest = (isDated ? stamp.dated : '') + headerLine('X-Request-Id', requestId);
    const tag = unchangedTag(res.req.headers, stamp, isDated);
    if (tag !== undefined) {
      writeHead(res, unchanged[read.vary], headerLine('ETag', tag) + ofRequest);
      res.end();
      return undefined;
    }
    const representation = representationOf(read, stamp);
    if (representation instanceof Promise) return representation.then((made) => sendBest(made, res, ofRequest));
    return sendBest(representation, res, ofRequest);
  };

  const freshFor = ({ state, isSearch, prepare, also }: KnownRead, req: IncomingMessage): Promise<unknown> => {
    if (state === undefined) return Promise.resolve();
    if (prepare !== undefined) return prepare(req);
    if (also !== undefined) return Promise.all([directory.fresh(), also()]);
    return isSearch ? directory.freshToSearch() : directory.fresh();
  };

  return (req, res, requestId, fail) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return false;
    let read: KnownRead | undefined;
    try {
      read = readOf(req.url ?? '/', req.headers.accept);
    } catch (failure) {
      fail(failure);
      return true;
    }
    if (read === undefined) return false;
    const known = read;
    // One promise for each request, not a chain of them.
    void freshFor(known, req).then(
      () => {
        try {
          respond(known, res, requestId)?.catch(fail);
        } catch (failure) {
          fail(failure);
        }
      },
      (error: unknown) => fail(known.prepare === undefined ? listFailure(error) : error),
    );
    return true;
  };
};

/** Makes what sends the best variant of a representation for a client. */
const createSender = (writeHead: WriteHead) => {
  const send = ({ head, pieces }: Variant, res: ServerResponse, ofRequest: string): Promise<void> | undefined => {
    if (res.destroyed) return undefined;
    writeHead(res, head, ofRequest);
    if (res.req.method !== 'HEAD') return sendPieces(res, pieces());
    res.end();
    return undefined;
  };
  return (representation: Representation, res: ServerResponse, ofRequest: string) => {
    const variant = representation.variant(acceptedEncodings(res.req.headers['accept-encoding']));
    if (variant instanceof Promise) return variant.then((made) => send(made, res, ofRequest));
    return send(variant, res, ofRequest);
  };
};

const unreachable = (error: unknown): never => {
  throw listFailure(error);
};

/** Representations by read and state: cached, or made one per tick of the event loop, so that others get their turn. */
const createRepresentations = (deps: Pick<ReadsDeps<never>, 'directory' | 'headers' | 'onError'>) => {
  const { directory } = deps;
  const cached = new BoundedCache<Representation>({
    max: maxCachedBytes,
    maxEach: maxCachedBytes / 4,
    sizeOf: (key, { heldBytes }) => 2 * key.length + heldBytes + overheadBytes,
    onDrop: (representation) => representation.retire(),
  });
  const underWay = new Map<string, Promise<Representation>>();
  let turn = Promise.resolve();

  const find = (key: string, tag: string): Representation | undefined => {
    const found = cached.get(key);
    return found?.stamp.tag === tag ? found : undefined;
  };

  const make = async (read: KnownRead): Promise<Representation> => {
    await (turn = turn.then(() => immediately()));
    // The copy may have begun to change since. It may be read only when it is some version of the store.
    const isOfDirectory = read.state !== undefined && read.prepare === undefined;
    while (isOfDirectory && !directory.isWhole) await directory.fresh().catch(unreachable);
    const stamp = read.stamp();
    const known = find(read.key, stamp.tag);
    if (known !== undefined) return known;
    const representation = represent(stamp, { ...(await read.make()), vary: read.vary }, deps);
    cached.set(read.key, representation);
    return representation;
  };

  return (read: KnownRead, { tag }: Stamp): Representation | Promise<Representation> => {
    const known = find(read.key, tag);
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

const represent = (
  stamp: Stamp,
  { body, headers: own = inertPolicy, ...described }: Content,
  { headers, onError }: Pick<ReadsDeps<never>, 'headers' | 'onError'>,
): Representation => {
  const description = { ...described, headers: [...own, ...headers] };
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? bodyOf(Buffer.from(body)) : body;
  if ('segments' in bytes) return new WholeList(stamp, bytes, description, onError);
  return new PlainRepresentation(stamp, bytes, description, onError);
};

/** How much is handed over at once, and how long the client may take for it: a slower client is cut off. */
export type Pace = { readonly groupBytes: number; readonly groupMs: number };

const usual: Pace = { groupBytes: 1_048_576, groupMs: 60_000 };

/**
 * Ends the response with these pieces, of a body that may be long, for a client that may be slow: it holds no more of
 * it than is in flight. The returned promise resolves when all are written, or the client is gone.
 */
export const sendPieces = (
  res: ServerResponse,
  pieces: Iterable<Buffer>,
  pace: Pace = usual,
): Promise<void> | undefined => {
  // Almost all responses are a single piece: these wait for nothing.
  if (!Array.isArray(pieces) || pieces.length !== 1) return sendInGroups(res, pieces, pace);
  const [only] = pieces as readonly Buffer[];
  res.end(only);
  cutIfLate(res, pace);
  return undefined;
};

const sendInGroups = async (res: ServerResponse, pieces: Iterable<Buffer>, pace: Pace): Promise<void> => {
  const { groupBytes, groupMs } = pace;
  let group: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    if (bytes > 0 && bytes + piece.length > groupBytes) {
      if (!write(res, group) && !(await isTaken(res, groupMs))) return;
      [group, bytes] = [[], 0];
    }
    group.push(piece);
    bytes += piece.length;
  }
  const last = group.pop();
  if (group.length > 0) {
    res.cork();
    for (const piece of group) res.write(piece);
  }
  res.end(last);
  cutIfLate(res, pace);
};

/** Sockets that had not taken the end of a response when it was written, and until when they may. */
const lateUntilMs = new Map<Socket, number>();
const lookEveryMs = 1_000;

/** Cuts the connection if the client does not take what is left in time. One timer looks after all of them. */
const cutIfLate = ({ socket }: ServerResponse, { groupMs }: Pace): void => {
  if (socket === null || socket.writableLength === 0) return;
  if (lateUntilMs.size === 0) lookLater();
  lateUntilMs.set(socket, performance.now() + groupMs);
};

const lookLater = (): void => void setTimeout(cutLate, lookEveryMs).unref();

const cutLate = (): void => {
  const nowMs = performance.now();
  for (const [socket, untilMs] of lateUntilMs) {
    if (socket.writableLength > 0 && nowMs < untilMs) continue;
    if (socket.writableLength > 0) socket.destroy();
    lateUntilMs.delete(socket);
  }
  if (lateUntilMs.size > 0) lookLater();
};

const write = (res: ServerResponse, group: readonly Buffer[]): boolean => {
  res.cork();
  let isTakingMore = true;
  for (const piece of group) isTakingMore = res.write(piece);
  res.uncork();
  return isTakingMore;
};

/** Whether the client has taken what was written. If that takes too long, the connection is cut. */
const isTaken = (res: ServerResponse, withinMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => res.destroy(), withinMs);
    const settle = (): void => {
      clearTimeout(timer);
      res.off('drain', settle).off('close', settle);
      resolve(!res.destroyed);
    };
    res.once('drain', settle).once('close', settle);
  });
