/**
 * Simple load balancers: they poll `/readyz`, send requests to servers that are ready, or to any if none is, and retry
 * nothing.
 */
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createServer as createNetServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** `backends` may change while it runs. */
export type Balancer = {
  readonly url: string;
  readonly backends: Set<string>;
  isReady: (backend: string) => boolean;
  stop: () => Promise<void>;
};

const checkEveryMs = 250;

/** Starts a balancer that sends each request to the next backend, over connections that it keeps. */
export const startHttpBalancer = (): Promise<Balancer> => {
  const ready = new Ready();
  const agent = new Agent({ keepAlive: true });
  const forward = (req: IncomingMessage, res: ServerResponse): void => {
    const fail = (): void => {
      if (res.headersSent) res.destroy();
      else res.writeHead(502).end();
    };
    const { hostname, port } = new URL(ready.next());
    const { method, url: path, headers } = req;
    const upstream = request({
      agent,
      hostname,
      port,
      method,
      path,
      headers: { ...headers, connection: 'keep-alive' },
    });
    upstream.on('error', fail).on('response', (answer) => {
      const { connection: _hop, ...others } = answer.headers;
      res.writeHead(answer.statusCode ?? 502, others);
      answer.on('error', fail).pipe(res);
    });
    req.pipe(upstream);
  };
  return start(createServer(forward), ready, () => agent.destroy());
};

/** Starts one that joins every connection with one to the next backend, and reads nothing of what is sent. */
export const startTcpBalancer = (): Promise<Balancer> => {
  const ready = new Ready();
  const join = (client: Socket): void => {
    const { hostname, port } = new URL(ready.next());
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.resetAndDestroy());
    }
  };
  return start(createNetServer({ allowHalfOpen: true }, join), ready, () => undefined);
};

/** The backends that are ready, in turn. */
class Ready {
  readonly backends = new Set<string>();
  #ready: string[] = [];
  #at = 0;
  #isStopped = false;
  readonly #checking = this.#check();

  next(): string {
    const pool = this.#ready.length > 0 ? this.#ready : [...this.backends];
    return pool[(this.#at += 1) % pool.length] ?? 'http://127.0.0.1:1';
  }

  includes(backend: string): boolean {
    return this.#ready.includes(backend);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#checking;
  }

  async #check(): Promise<void> {
    while (!this.#isStopped) {
      const isReady = (url: string): Promise<boolean> =>
        fetch(`${url}/readyz`).then(
          async (response) => (await response.text(), response.ok),
          () => false,
        );
      const checked = await Promise.all([...this.backends].map(async (url) => ((await isReady(url)) ? [url] : [])));
      this.#ready = checked.flat();
      await sleep(checkEveryMs);
    }
  }
}

const start = async (server: Server, ready: Ready, close: () => void): Promise<Balancer> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    backends: ready.backends,
    isReady: (backend) => ready.includes(backend),
    stop: async () => {
      await ready.stop();
      close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
