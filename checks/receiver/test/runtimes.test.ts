/**
 * The conformance file passes in every runtime. A runtime that this machine does not have is skipped; in CI it fails.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimes } from '@bot-directory/check-runtimes/runtimes';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permitted } from '@bot-directory/testing/needs';
import { generateKeyPair } from '@bot-directory/webhook-receiver/testing';

const folder = mkdtempSync(join(tmpdir(), 'bot-directory-receiver-'));
const bundle = join(folder, 'conformance.js');
const { publicKey, privateKey } = await generateKeyPair();
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    if (request.url !== '/api/webhooks/keys')
      return void response.writeHead(302, { location: '/api/webhooks/keys' }).end();
    response.end(JSON.stringify({ keys: [{ id: 'k', algorithm: 'ed25519', public_key: publicKey }] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Neutral: anything that only one runtime has would stay an import, and fail in the others.
  await build({
    entryPoints: [join(import.meta.dirname, 'conformance/conformance.ts')],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    outfile: bundle,
  });
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

describe.each(runtimes)('in $name', (runtime) => {
  it('the package keeps its promises', permitted(runtime.name, runtime.available), async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const results = (await runtime.run(bundle, { origin, privateKey })) as object;
    expect(Object.entries(results).filter(([, error]) => error !== null)).toEqual([]);
    expect(Object.keys(results)).toHaveLength(6);
  });
});
