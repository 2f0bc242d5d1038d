/** `/metrics` on an address of its own, where the public cannot reach it. */
import { createServer, type Server } from 'node:http';

/** Not yet listening. Whatever else is asked of it is not there. */
export const createMetricsServer = (read: () => Promise<string>, contentType: string): Server =>
  createServer((req, res) => {
    if (req.url?.split('?', 1)[0] !== '/metrics') return void res.writeHead(404).end();
    read().then(
      (text) => res.writeHead(200, { 'Content-Type': contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });
