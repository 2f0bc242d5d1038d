/** A template provider on loopback, whose answers a test sets. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The host of template links in tests. */
export const templateHost = 'templates.example.com';

/** Answers a request for one template. */
export type TemplateHandler = (req: IncomingMessage, res: ServerResponse) => void;

export type Provider = Awaited<ReturnType<typeof startProvider>>;

/** Starts it. `template` makes a new template and returns its id. */
export const startProvider = async () => {
  const handlers = new Map<string, TemplateHandler>();
  const requests: string[] = [];
  let count = 0;
  const server = createServer((req, res) => {
    const id = /^\/bot\/([^/?]+)$/.exec(req.url ?? '')?.[1] ?? '';
    requests.push(id);
    const handler = handlers.get(id);
    if (handler !== undefined) return handler(req, res);
    res.statusCode = 404;
    res.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Ids of the templates that were asked for. */
    requests,
    /** A template whose page is this JSON, or whatever a handler answers. */
    template: (page: object | TemplateHandler, id = `t${(count += 1)}`): string => {
      handlers.set(
        id,
        typeof page === 'function'
          ? (page as TemplateHandler)
          : (_req, res) => {
              res.setHeader('Content-Type', 'application/json');
              res.end(JSON.stringify(page));
            },
      );
      return id;
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
