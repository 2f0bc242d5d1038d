/**
 * The connections of a server: how many one address may have, which requests are in progress on each, and how they end.
 * A stop cuts no request off: every response says `Connection: close`, and we close only connections that have long
 * been idle.
 */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { networkOf } from '../domain/ip-address.ts';

/** `perAddress`: the most connections of one address, or IPv6 /64; 0 for no limit. `isExempt`: our own proxies. */
export type ConnectionRules = {
  readonly perAddress: number;
  readonly isExempt: (address: string) => boolean;
  readonly onRefused: () => void;
};

/** `idleMs`: how long a connection must be idle before it is closed. `limitMs`: when all are cut off. */
export type DrainRules = { readonly idleMs: number; readonly limitMs: number };

/** `underWay`: an array, because a set that loses its only member is allocated again each time. */
export type ClientConnection = { readonly address: string; readonly underWay: ServerResponse[]; idleSinceMs: number };

const sweepMs = 20;
/** How often a stop asks for connections that wait to be accepted, if new ones come without a pause. */
const mostTurns = 100;
/** Node parses all requests of what it has read at once, up to 64 KB, and holds their responses in memory. */
const maxPipelined = 16;

/** Tracks a server's connections from its start. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Map<Socket, ClientConnection>();
  readonly #perAddress = new Map<string, number>();
  #closing = false;
  #accepted = 0;

  constructor(server: Server, rules: ConnectionRules) {
    this.#server = server;
    server.on('connection', (socket: Socket) => this.#accept(socket, rules));
  }

  /** The number of connections. */
  get open(): number {
    return this.#open.size;
  }

  /** The number of requests in progress. */
  get underWay(): number {
    let count = 0;
    for (const { underWay } of this.#open.values()) count += underWay.length;
    return count;
  }

  /** Registers a request on its connection. Call `end` with that when its response is complete. */
  begin(res: ServerResponse): ClientConnection | undefined {
    // Otherwise a client that keeps its connection busy would be served until it is cut off.
    if (this.#closing) res.shouldKeepAlive = false;
    const connection = this.#open.get(res.req.socket);
    connection?.underWay.push(res);
    return connection;
  }

  end(connection: ClientConnection | undefined, res: ServerResponse, nowMs: number): void {
    if (connection === undefined) return;
    const { underWay } = connection;
    // Almost always the only one.
    if (underWay.at(-1) === res) underWay.pop();
    else if (underWay.includes(res)) underWay.splice(underWay.indexOf(res), 1);
    connection.idleSinceMs = nowMs;
  }

  /** Whether so many requests wait on this connection for those before them that another is too many. */
  isFull(socket: Socket): boolean {
    return (this.#open.get(socket)?.underWay.length ?? 0) >= maxPipelined;
  }

  /** Whether complete requests wait for their responses on this connection. If so, it closes after those. */
  closesAfterAnswers(socket: Socket): boolean {
    const waiting = this.#open.get(socket)?.underWay.filter(({ req }) => req.complete) ?? [];
    for (const res of waiting) res.shouldKeepAlive = false;
    return waiting.length > 0;
  }

  /** Whether a response has begun on this connection, so that nothing else may be written to it. */
  isAnswering(socket: Socket): boolean {
    for (const res of this.#open.get(socket)?.underWay ?? []) if (res.headersSent) return true;
    return false;
  }

  /** From now on, every response is the last on its connection. New connections are still accepted. */
  closeAfterAnswers(): void {
    this.#closing = true;
    for (const { underWay } of this.#open.values())
      for (const res of underWay) if (!res.headersSent) res.shouldKeepAlive = false;
  }

  /** Accepts no more connections. Resolves when all are closed: by themselves, or at the limit. */
  async drain({ idleMs, limitMs }: DrainRules): Promise<void> {
    this.closeAfterAnswers();
    const endMs = performance.now() + limitMs;
    await this.#acceptWaiting();
    // http.Server's own close destroys connections between two requests, and those that are still flushing a response.
    NetServer.prototype.close.call(this.#server);
    while (this.#open.size > 0 && performance.now() < endMs) {
      this.#closeIdle(performance.now() - idleMs);
      await new Promise((resolve) => setTimeout(resolve, sweepMs));
    }
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /**
   * Accepts the connections that the system has made and Node has not seen yet: closing the listening socket resets
   * them, and a proxy that has sent a write on one repeats it nowhere.
   */
  async #acceptWaiting(): Promise<void> {
    for (let turn = 0, before = -1; turn < mostTurns && before !== this.#accepted; turn += 1) {
      before = this.#accepted;
      // Node reads all sockets before it calls this.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Closes connections that have been idle since then, after flushing what was last sent on them. */
  #closeIdle(sinceMs: number): void {
    for (const [socket, { underWay, idleSinceMs }] of this.#open)
      if (underWay.length === 0 && idleSinceMs <= sinceMs && socket.writableLength === 0 && !socket.writableEnded)
        socket.end();
  }

  #accept(socket: Socket, { perAddress, isExempt, onRefused }: ConnectionRules): void {
    this.#accepted += 1;
    const remote = socket.remoteAddress ?? '';
    const address = networkOf(remote);
    const count = (this.#perAddress.get(address) ?? 0) + 1;
    if (perAddress > 0 && count > perAddress && !isExempt(remote)) {
      onRefused();
      socket.destroy();
      return;
    }
    this.#perAddress.set(address, count);
    this.#open.set(socket, { address, underWay: [], idleSinceMs: performance.now() });
    socket.once('close', () => this.#forget(socket, address));
  }

  #forget(socket: Socket, address: string): void {
    for (const res of this.#open.get(socket)?.underWay.slice() ?? []) closeQueued(res);
    this.#open.delete(socket);
    const count = (this.#perAddress.get(address) ?? 1) - 1;
    if (count === 0) this.#perAddress.delete(address);
    else this.#perAddress.set(address, count);
  }
}

/** Node emits no `close` for responses that are still queued behind another when their connection closes. */
const closeQueued = (res: ServerResponse): void => {
  if (res.socket !== null || res.writableFinished) return;
  res.destroy();
  res.emit('close');
};

/** How long we let the client read: closing a socket with unread data resets it, and the response is lost. */
const lingerMs = 1_000;

/**
 * Closes a connection whose client is still sending: our half at once, and the rest when the client has closed its half
 * or has had time to read.
 */
export const closeGently = (socket: Socket, last?: Buffer): void => {
  if (last === undefined) socket.end();
  else socket.end(last);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
};
