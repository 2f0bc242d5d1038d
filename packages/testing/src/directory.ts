/**
 * The real service, as it is deployed: the built server with a private Redis, the demo template provider, and an HTTPS
 * receiver.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { startTemplateProvider } from '../../../examples/template-provider/src/provider.js';
import { freePort } from '../../../scripts/port.mjs';
import { startRedis } from '../../../scripts/redis.mjs';
import { until } from './until.js';

const main = join(import.meta.dirname, '../../server/dist/main.js');

/** A running service. */
export interface Directory {
  baseUrl: string;
  /** An HTTPS endpoint that answers 200; each path below it is another one. */
  hookUrl: string;
  /** Ends the server as a deployment does, and starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one; without a store it saves nothing. */
export const startDirectory = async ({
  store = true,
  settings = {},
}: { store?: boolean; settings?: Readonly<Record<string, string>> } = {}): Promise<Directory> => {
  const folder = mkdtempSync(join(tmpdir(), 'bot-directory-sdk-'));
  const [redis, provider, receiver, port] = await Promise.all([
    store ? startRedis() : undefined,
    startTemplateProvider(),
    startReceiver(join(folder, 'authority.pem')),
    freePort(),
  ]);
  const env = {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    REDIS_URL: redis?.url ?? '',
    TEMPLATE_HOST: 'templates.example.com',
    TEMPLATE_ORIGIN: provider.origin,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
    LOG_LEVEL: 'error',
    SHUTDOWN_DELAY: '0s',
    ...settings,
  };
  let server = await startServer(env, port);
  return {
    baseUrl: env.BASE_URL,
    hookUrl: `https://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    restart: async () => {
      await stopServer(server);
      server = await startServer(env, port);
    },
    stop: async () => {
      await stopServer(server);
      receiver.closeAllConnections();
      receiver.close();
      await Promise.all([redis?.stop(), provider.close()]);
      rmSync(folder, { recursive: true });
    },
  };
};

const startServer = async (env: NodeJS.ProcessEnv, port: number): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error('the server did not start; is it built?');
    return fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until('the server is ready', isReady).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return child;
};

const stopServer = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
};

const startReceiver = async (authorityPath: string): Promise<Server> => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  writeFileSync(authorityPath, cert);
  const receiver = createServer({ key, cert }, (request, response) => {
    request.resume();
    response.writeHead(request.url === '/refuses' ? 500 : 200).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  return receiver;
};
