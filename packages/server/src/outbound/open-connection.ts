/**
 * Opens connections: to the first of a host's addresses that accepts one; to webhooks, with TLS and a check of the
 * addresses. A cached TLS session only makes the handshake cheaper.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import { BoundedCache } from '../base/bounded-cache.ts';
import type { GuardedLookup } from './resolve.ts';

/** Opens a connection to an origin, and completes the handshake. Rejects with the signal's reason when aborted. */
export type OpenConnection = (origin: string, signal: AbortSignal) => Promise<TLSSocket>;

/** Enough for about 50,000 servers. */
const maxSessionBytes = 64 * 2 ** 20;
/** A resumed session shows no certificate, so a full handshake is made after this time. */
const maxSessionAgeMs = 24 * 60 * 60_000;
const sessionOverheadBytes = 300;

type Options = {
  readonly lookup: GuardedLookup;
  /** The trusted authorities. @default the system's */
  readonly ca?: string;
};

/** Makes an `OpenConnection`. TLS sessions and trusted authorities are shared by all connections. */
export const createOpenConnection = ({ lookup, ca }: Options): OpenConnection => {
  // One context for every host: making one per connection costs more than the handshake.
  const secureContext = createSecureContext(ca === undefined ? {} : { ca });
  const sessions = createTlsSessions();

  const shakeHands = (origin: string, host: string, socket: Socket, signal: AbortSignal): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const known = sessions.get(origin);
      const tls = connect({
        socket,
        host,
        servername: isIP(host) === 0 ? host : '',
        secureContext,
        // Also with NODE_TLS_REJECT_UNAUTHORIZED=0, which an operator may set for something else.
        rejectUnauthorized: true,
        ALPNProtocols: ['http/1.1'],
        ...(known === undefined ? {} : { session: known.session }),
      });
      // Emitted after the handshake, and whenever the server sends another session.
      tls.on('session', (session) => {
        sessions.set(origin, session, tls.isSessionReused() ? known : undefined);
      });
      const abort = (): void => void tls.destroy(signal.reason as Error);
      const fail = (error: Error): void => {
        signal.removeEventListener('abort', abort);
        // The session may be the cause, so the next connection starts without it.
        sessions.delete(origin);
        reject(error);
      };
      signal.addEventListener('abort', abort);
      tls.once('error', fail);
      tls.once('secureConnect', () => {
        signal.removeEventListener('abort', abort);
        tls.off('error', fail);
        resolve(tls);
      });
    });

  return async (origin, signal) => {
    const { hostname, port } = new URL(origin);
    const host = hostname.replace(/^\[|\]$/g, '');
    const addresses = await lookup(host);
    const socket = await connectFirst(addresses, toPort(Number(port) || 443), signal);
    return shakeHands(origin, host, socket, signal);
  };
};

/** A session from a server. `verifiedMs`: when its certificate was last verified, by a monotonic clock. */
type TlsSession = { readonly session: Buffer; readonly verifiedMs: number };

/** TLS sessions by origin, so that the next connection costs half a handshake. */
export const createTlsSessions = () => {
  const sessions = new BoundedCache<TlsSession>({
    max: maxSessionBytes,
    sizeOf: (origin, { session }) => origin.length + session.length + sessionOverheadBytes,
  });
  return {
    /** The session to resume with a server, if there is one whose certificate was verified lately. */
    get: (origin: string): TlsSession | undefined => {
      const found = sessions.get(origin);
      if (found === undefined || performance.now() - found.verifiedMs < maxSessionAgeMs) return found;
      sessions.delete(origin);
      return undefined;
    },
    /** Stores a session of a connection that resumed `from` another one, or verified the certificate itself. */
    set: (origin: string, session: Buffer, from?: TlsSession): void =>
      sessions.set(origin, { session, verifiedMs: from?.verifiedMs ?? performance.now() }),
    delete: (origin: string): void => sessions.delete(origin),
  };
};

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
 * Connects to one of several addresses, as RFC 8305 says: the next attempt begins a moment after the last, or when one
 * fails, and none is given up before another succeeds. An attempt to a family without a route fails before it sends
 * anything, so it costs no time, and its error is reported only if there is no better one. Rejects when all attempts
 * have failed, with the error that says most, or when it is aborted, with the signal's reason.
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

/** Alternates between the families, beginning with that of the first address: RFC 8305, 4. */
const alternating = (addresses: readonly string[]): string[] => {
  const family = isIP(addresses[0] ?? '');
  const first = addresses.filter((address) => isIP(address) === family);
  const second = addresses.filter((address) => isIP(address) !== family);
  const pairs = Array.from({ length: Math.max(first.length, second.length) }, (_, i) => [first[i], second[i]]);
  return pairs.flat().filter((address) => address !== undefined);
};

const isNoRoute = (error: Error): boolean => 'code' in error && noRoute.test(String(error.code));
