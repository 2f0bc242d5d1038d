/**
 * Connections to webhooks. Each connect checks where it may lead. What is remembered of a server, its TLS session, only
 * makes the handshake cheaper.
 */
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { Agent, errors, type buildConnector } from 'undici';
import { isPermitted, type Network } from '../domain/ip-address.ts';
import { ForbiddenAddress } from './guarded-lookup.ts';
import { TlsSessions } from './tls-sessions.ts';

/** Options of the connections. `ca`: the trusted authorities; the system's by default. */
export type GuardedAgentOptions = {
  readonly lookup: LookupFunction;
  readonly allowedNetworks: readonly Network[];
  readonly ca?: string;
  /** The longest that connecting may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly connectionsPerOrigin: number;
};

/** Called for every connection, with the address it leads to. */
export type OnConnect = (origin: string, address: string) => void;

const maxResponseBytes = 16_384;
/** How long a connection is kept that carries nothing, whatever its server asks for: there may be thousands. */
const idleMs = 4_000;
/** Enough for about 50,000 servers. */
const maxSessionBytes = 64 * 2 ** 20;
const maxSessionAgeMs = 24 * 60 * 60_000;

/** Makes agents that share TLS sessions and trusted authorities. */
export const createGuardedAgents = (options: GuardedAgentOptions) => {
  // One context for every host: making one per connection costs more than the handshake.
  const secureContext = createSecureContext(options.ca === undefined ? {} : { ca: options.ca });
  const sessions = new TlsSessions({ maxBytes: maxSessionBytes, maxAgeMs: maxSessionAgeMs });
  return ({ keepsAlive, onConnect }: { keepsAlive: boolean; onConnect: OnConnect }): Agent =>
    new Agent({
      connections: options.connectionsPerOrigin,
      maxResponseSize: maxResponseBytes,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      ...(keepsAlive ? {} : { pipelining: 0 }),
      connect: createConnector({ ...options, secureContext, sessions, onConnect }),
    });
};

type ConnectorDeps = GuardedAgentOptions & {
  readonly secureContext: SecureContext;
  readonly sessions: TlsSessions;
  readonly onConnect: OnConnect;
};

const createConnector =
  ({ allowedNetworks, sessions, onConnect, ...deps }: ConnectorDeps): buildConnector.connector =>
  (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // Literal addresses never reach the lookup.
    if (isIP(host) !== 0 && !isPermitted(host, allowedNetworks)) return callback(new ForbiddenAddress(), null);
    const origin = `https://${target.host ?? host}`;
    const known = sessions.get(origin, performance.now());
    const socket = openTls({ host, port: Number(target.port) || 443, session: known?.session }, deps);
    // Emitted after the handshake, and whenever the server sends another session.
    socket.on('session', (session) => {
      const verifiedMs = socket.isSessionReused() && known !== undefined ? known.verifiedMs : performance.now();
      sessions.set(origin, { session, verifiedMs });
    });
    const timer = setTimeout(() => socket.destroy(new errors.ConnectTimeoutError()), deps.timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      // The session may be the cause, so the next connection starts without it.
      sessions.delete(origin);
      callback(error, null);
    };
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      if (socket.remoteAddress !== undefined) onConnect(origin, socket.remoteAddress);
      callback(null, closingPlainly(socket));
    });
  };

const openTls = (
  { host, port, session }: { host: string; port: number; session: Buffer | undefined },
  { lookup, secureContext }: Pick<ConnectorDeps, 'lookup' | 'secureContext'>,
): TLSSocket =>
  connect({
    host,
    port,
    lookup,
    secureContext,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    ...(session === undefined ? {} : { session }),
  })
    .setNoDelay(true)
    .setKeepAlive(true, 60_000);

/**
 * When a request is aborted, undici opens a new connection for it and drops it there (nodejs/undici#5845), unless the
 * socket closes before undici notices the abort. This saves a second handshake after one that hung.
 */
const closingPlainly = (socket: Socket): Socket => {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => destroy(error instanceof errors.InformationalError ? undefined : error);
  return socket;
};
