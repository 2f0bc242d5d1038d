/**
 * Opens connections to webhooks. Each one checks where it may lead. What is remembered of a server, its TLS session,
 * only makes the handshake cheaper.
 */
import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import { BoundedCache } from '../base/bounded-cache.ts';
import { connectFirst, toPort } from './connect-race.ts';
import type { GuardedLookup } from './resolve.ts';

/** Opens a connection to an origin, and ends the handshake. Rejects with the signal's reason when it is aborted. */
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

/** Makes it. TLS sessions and trusted authorities are shared by all connections. */
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
export const createTlsSessions = (nowMs = (): number => performance.now()) => {
  const sessions = new BoundedCache<TlsSession>({
    max: maxSessionBytes,
    sizeOf: (origin, { session }) => origin.length + session.length + sessionOverheadBytes,
  });
  return {
    /** The session to resume with a server, if there is one whose certificate was verified lately. */
    get: (origin: string): TlsSession | undefined => {
      const found = sessions.get(origin);
      if (found === undefined || nowMs() - found.verifiedMs < maxSessionAgeMs) return found;
      sessions.delete(origin);
      return undefined;
    },
    /** Stores a session of a connection that resumed `from` another one, or verified the certificate itself. */
    set: (origin: string, session: Buffer, from?: TlsSession): void =>
      sessions.set(origin, { session, verifiedMs: from?.verifiedMs ?? nowMs() }),
    delete: (origin: string): void => sessions.delete(origin),
  };
};
