/** Run in a namespace of its own by `far-endpoints.full.test.ts`: an HTTPS receiver, and a template provider. */
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';

const { key, cert } = JSON.parse(process.env.CERTIFICATE ?? '{}');
createServer({ key, cert }, (req, res) => void req.resume().on('end', () => res.writeHead(204).end())).listen(8443);
createHttpServer((_req, res) => void res.setHeader('Content-Type', 'application/json').end('{"name":"Weekly"}')).listen(
  8080,
  () => process.stdout.write('ready\n'),
);
