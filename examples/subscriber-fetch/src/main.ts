/** The subscriber on Node, over HTTPS. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { serve } from '@hono/node-server';
import { createSubscriber, path } from './subscriber.ts';

const { DIRECTORY_URL = 'http://localhost:3000' } = process.env;
const { PORT = '8443', TLS_KEY = 'key.pem', TLS_CERT = 'cert.pem' } = process.env;

serve(
  {
    fetch: createSubscriber(DIRECTORY_URL, console.log),
    hostname: '127.0.0.1',
    port: Number(PORT),
    createServer,
    serverOptions: { key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT) },
  },
  ({ port }) => console.log(`listening on https://127.0.0.1:${port}${path}`),
);
