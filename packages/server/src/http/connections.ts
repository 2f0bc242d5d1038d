/**
 * The connections of a server: how many one address may have, what is under way on each, and how they end. A stop cuts
 * nobody: every answer says `Connection: close`, and only a connection that has long been idle is closed by us.
 */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** `perAddress`: the most that one address may have, 0 for no limit. `isExempt`: our own proxies. */
export type ConnectionRules = {
  readonly perAddress: number;
  readonly isExempt: (address: string) => boolean;
  readonly onRefused: () => void;
};

/** `idleMs`: how long a connection must have been idle to be closed. `limitMs`: when all are cut. */
export type DrainRules = { readonly idleMs: number; readonly limitMs: number };

type Connection = { readonly address: string; readonly underWay: Set<ServerResponse>; idleSinceMs: number };

const sweepMs = 20;

/** Follows a server's connections from its start. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Map<Socket, Connection>();
  readonly #perAddress = new Map<string, number>();
  #closing = false;

  constructor(server: Server, rules: ConnectionRules) {
    this.#server = server;
    server.on('connection', (socket: Socket) => this.#accept(socket, rules));
  }

  /** How many connections there are. */
  get open(): number {
    return this.#open.size;
  }

  /** How many requests are being answered. */
  get underWay(): number {
    let count = 0;
    for (const { underWay } of this.#open.values()) count += underWay.size;
    return count;
  }

  /** Takes note of a request. Call `end` when its answer is over. */
  begin(res: ServerResponse): void {
    // Else a client that keeps its connection busy would be served until it is cut off.
    if (this.#closing) res.shouldKeepAlive = false;
    this.#open.get(res.req.socket)?.underWay.add(res);
  }

  end(res: ServerResponse): void {
    const connection = this.#open.get(res.req.socket);
    if (connection === undefined) return;
    connection.underWay.delete(res);
    connection.idleSinceMs = performance.now();
  }

  /** Whether an answer on this connection has begun: nothing else may be written to it. */
  isAnswering(socket: Socket): boolean {
    for (const res of this.#open.get(socket)?.underWay ?? []) if (res.headersSent) return true;
    return false;
  }

  /** From now on every answer is the last of its connection. New connections are still accepted. */
  closeAfterAnswers(): void {
    this.#closing = true;
    for (const { underWay } of this.#open.values())
      for (const res of underWay) if (!res.headersSent) res.shouldKeepAlive = false;
  }

  /** Accepts no more, and resolves when all connections are closed: by themselves, or at the limit. */
  async drain({ idleMs, limitMs }: DrainRules): Promise<void> {
    this.closeAfterAnswers();
    const endMs = performance.now() + limitMs;
    // http.Server's own close destroys connections between two requests, and those that are still flushing an answer.
    NetServer.prototype.close.call(this.#server);
    while (this.#open.size > 0 && performance.now() < endMs) {
      this.#closeIdle(performance.now() - idleMs);
      await new Promise((resolve) => setTimeout(resolve, sweepMs));
    }
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Ends those that have been idle since then. What they were sent last is flushed first. */
  #closeIdle(sinceMs: number): void {
    for (const [socket, { underWay, idleSinceMs }] of this.#open)
      if (underWay.size === 0 && idleSinceMs <= sinceMs && socket.writableLength === 0 && !socket.writableEnded)
        socket.end();
  }

  #accept(socket: Socket, { perAddress, isExempt, onRefused }: ConnectionRules): void {
    const address = socket.remoteAddress ?? '';
    const count = (this.#perAddress.get(address) ?? 0) + 1;
    if (perAddress > 0 && count > perAddress && !isExempt(address)) {
      onRefused();
      socket.destroy();
      return;
    }
    this.#perAddress.set(address, count);
    this.#open.set(socket, { address, underWay: new Set(), idleSinceMs: performance.now() });
    socket.once('close', () => this.#forget(socket, address));
  }

  #forget(socket: Socket, address: string): void {
    this.#open.delete(socket);
    const count = (this.#perAddress.get(address) ?? 1) - 1;
    if (count === 0) this.#perAddress.delete(address);
    else this.#perAddress.set(address, count);
  }
}
