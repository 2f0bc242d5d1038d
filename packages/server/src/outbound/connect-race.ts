/**
 * Connects to one of several addresses, as RFC 8305 says: the next attempt begins a moment after the last, or when one
 * fails, and none is given up before another succeeds. An attempt to a family without a route fails before it sends
 * anything, so it costs no time, and its error is reported only if there is no better one.
 */
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';

/** Begins an attempt. */
export type Connect = (address: string) => Socket;

/** RFC 8305, 8: Connection Attempt Delay. */
const delayMs = 250;
/** A name may have thousands of addresses, and anybody may register it. */
const maxAttempts = 8;
const noRoute = /^(ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)$/;

/** Begins an attempt by TCP. */
export const toPort =
  (port: number): Connect =>
  (host) =>
    connectTcp({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });

/**
 * Resolves with the first socket that connects. Rejects when all attempts have failed, with the error that says most,
 * or when it is aborted, with the signal's reason.
 */
export const connectFirst = (addresses: readonly string[], connect: Connect, signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const waiting = alternating(addresses).slice(0, maxAttempts);
    const running = new Set<Socket>();
    let fault: Error | undefined;
    let timer: NodeJS.Timeout | undefined;

    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      for (const socket of running) socket.destroy();
    };
    const abort = (): void => {
      end();
      reject(signal.reason as Error);
    };
    const attempt = (address: string): void => {
      const socket = connect(address);
      running.add(socket);
      const fail = (error: Error): void => {
        running.delete(socket);
        if (fault === undefined || isNoRoute(fault)) fault = error;
        next();
      };
      socket.once('error', fail);
      socket.once('connect', () => {
        socket.off('error', fail);
        running.delete(socket);
        end();
        resolve(socket);
      });
    };
    const next = (): void => {
      clearTimeout(timer);
      const address = waiting.shift();
      if (address !== undefined) attempt(address);
      else if (running.size === 0) {
        end();
        reject(fault ?? new Error('there is no address'));
      }
      if (waiting.length > 0) timer = setTimeout(next, delayMs);
    };

    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    next();
  });

/** The families in turn, the first address's first: RFC 8305, 4. */
const alternating = (addresses: readonly string[]): string[] => {
  const family = isIP(addresses[0] ?? '');
  const first = addresses.filter((address) => isIP(address) === family);
  const second = addresses.filter((address) => isIP(address) !== family);
  const pairs = Array.from({ length: Math.max(first.length, second.length) }, (_, i) => [first[i], second[i]]);
  return pairs.flat().filter((address) => address !== undefined);
};

const isNoRoute = (error: Error): boolean => 'code' in error && noRoute.test(String(error.code));

/**
 * A connector for undici whose connection attempts overlap; Node's own gives each address but a quarter of a second.
 * For hosts that the operator names, so the system resolves them and any address will do. `timeoutMs` is for the
 * addresses and a connection to one of them, and again for the TLS handshake.
 */
export const createOverlappingConnector = (timeoutMs: number): buildConnector.connector => {
  const shakeHands = buildConnector({ timeout: timeoutMs, rejectUnauthorized: true });
  return (target, callback) => {
    const isTls = target.protocol === 'https:';
    const port = Number(target.port) || (isTls ? 443 : 80);
    addressesOf(target.hostname)
      .then((addresses) => connectFirst(addresses, toPort(port), AbortSignal.timeout(timeoutMs)))
      .then(
        (socket) => (isTls ? shakeHands({ ...target, httpSocket: socket }, callback) : callback(null, socket)),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
  };
};

const addressesOf = async (host: string): Promise<readonly string[]> =>
  isIP(host) === 0 ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];
