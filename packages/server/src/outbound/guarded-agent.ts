/**
 * Connections to webhooks. Where one may lead is decided at every connect; what is known of a server from before, its TLS
 * session, makes the handshake cheaper and nothing else.
 */
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { Agent, errors, type buildConnector } from 'undici';
import { isPermitted, type Network } from '../domain/ip-address.ts';
import { ForbiddenAddress } from './guarded-lookup.ts';
import { TlsSessions } from './tls-sessions.ts';

/** What connections are made with. `ca`: whom to trust; the system's without it. */
export type GuardedAgentOptions = {
  readonly lookup: LookupFunction;
  readonly allowedNetworks: readonly Network[];
  readonly ca?: string;
  /** The longest that a connection may take to be made, in milliseconds. */
  readonly timeoutMs: number;
  readonly connectionsPerOrigin: number;
};

/** Told of every connection that is made, and where it leads. */
export type OnConnect = (origin: string, address: string) => void;

const maxResponseBytes = 16_384;
/** Those of some 50,000 servers. */
const maxSessionBytes = 64 * 2 ** 20;
const maxSessionAgeMs = 24 * 60 * 60_000;

/** Makes agents that share what is known of servers, and the trusted authorities. */
export const createGuardedAgents = (options: GuardedAgentOptions) => {
  // One context for every host: making one per connection costs more than the handshake.
  const secureContext = createSecureContext(options.ca === undefined ? {} : { ca: options.ca });
  const sessions = new TlsSessions({ maxBytes: maxSessionBytes, maxAgeMs: maxSessionAgeMs });
  return ({ keepsAlive, onConnect }: { keepsAlive: boolean; onConnect: OnConnect }): Agent =>
    new Agent({
      connections: options.connectionsPerOrigin,
      maxResponseSize: maxResponseBytes,
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
    // Literals never reach the look-up.
    if (isIP(host) !== 0 && !isPermitted(host, allowedNetworks)) return callback(new ForbiddenAddress(), null);
    const origin = `https://${target.host ?? host}`;
    const known = sessions.get(origin, performance.now());
    const socket = openTls({ host, port: Number(target.port) || 443, session: known?.session }, deps);
    // Comes after the handshake, and again whenever the server gives another one.
    socket.on('session', (session) => {
      const verifiedMs = socket.isSessionReused() && known !== undefined ? known.verifiedMs : performance.now();
      sessions.set(origin, { session, verifiedMs });
    });
    const timer = setTimeout(() => socket.destroy(new errors.ConnectTimeoutError()), deps.timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      // Perhaps for the session's sake: the next one begins anew.
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
 * When a request is aborted, undici opens a new connection for it and drops it there (nodejs/undici#5845), unless its
 * socket closed without undici's note of the abort: then one that hung costs no second handshake.
 */
const closingPlainly = (socket: Socket): Socket => {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => destroy(error instanceof errors.InformationalError ? undefined : error);
  return socket;
};
