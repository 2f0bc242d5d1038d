/** Long bodies for clients that may be slow: how much is handed over at once, and when a client is cut off. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
