/** `/metrics` on an address of its own, which the public cannot reach. */
import { createServer, type Server } from 'node:http';

/** Makes the server; it does not listen yet. Every other path is a 404. */
export const createMetricsServer = (read: () => Promise<string>, contentType: string): Server =>
  createServer((req, res) => {
    if (req.url?.split('?', 1)[0] !== '/metrics') return void res.writeHead(404).end();
    read().then(
      (text) => res.writeHead(200, { 'Content-Type': contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });
