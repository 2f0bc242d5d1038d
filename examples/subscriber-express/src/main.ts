/**
 * Announces each new bot of the directory once, however many of these processes run. Deliveries are verified with the
 * directory's own keys; Redis holds which events were handled.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createReceiver } from '@bot-directory/webhook-receiver';
import { expressHandler } from '@bot-directory/webhook-receiver/express';
import { redisDedupe } from '@bot-directory/webhook-receiver/redis';
import express from 'express';
import { createClient } from 'redis';

const { DIRECTORY_URL = 'http://localhost:3000', REDIS_URL = 'redis://127.0.0.1:6379' } = process.env;
const { PORT = '8443', TLS_KEY = 'key.pem', TLS_CERT = 'cert.pem' } = process.env;

const redis = createClient({ url: REDIS_URL });
// Without a listener, a lost connection would end the process; with one, the client reconnects by itself.
redis.on('error', (error) => console.error(error));
await redis.connect();

const receiver = createReceiver({
  baseUrl: DIRECTORY_URL,
  dedupe: redisDedupe(redis),
  // The receiver calls these only for what the directory signed.
  on: {
    ping: () => console.log('ping, signature verified'),
    'bot.created': ({ type, created_at, data: bot }) => {
      const ms = Date.now() - Date.parse(created_at);
      console.log(`${type}: ${bot.name}, signature verified, ${ms} ms after it was submitted`);
    },
  },
});

const app = express();
// Before any body parser: signatures are made over the bytes.
app.post('/webhooks/bots', expressHandler(receiver));
app.use(express.json());

const server = createServer({ key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT) }, app);
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on https://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/bots`);
});
