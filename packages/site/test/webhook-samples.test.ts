/** The verifier that the webhooks page shows, run as it stands through one rotation of the directory's key. */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { verifyByHand } from '../src/pages/webhook-samples.ts';

const makeKey = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: `whpk_${publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`,
    privateKey,
  };
};
const older = makeKey();
const newer = makeKey();
const stranger = makeKey();
let listed = [older];
let fetches = 0;
const directory = createServer((request, response) => {
  fetches += 1;
  const keys = listed.map(({ publicKey }) => ({ id: 'k', algorithm: 'ed25519', public_key: publicKey }));
  response.writeHead(request.url === '/api/webhooks/keys' ? 200 : 404).end(JSON.stringify({ keys }));
}).listen(0, '127.0.0.1');
await once(directory, 'listening');

const folder = mkdtempSync(join(tmpdir(), 'by-hand-'));
const file = join(folder, 'verify.mjs');
writeFileSync(file, verifyByHand(`http://127.0.0.1:${(directory.address() as AddressInfo).port}`));
afterAll(() => {
  vi.useRealTimers();
  directory.close();
  directory.closeAllConnections();
  rmSync(folder, { recursive: true });
});

type IsGenuine = (body: Uint8Array, headers: Record<string, string>) => Promise<boolean>;
const { isGenuine } = (await import(file)) as { isGenuine: IsGenuine };
const isVerified = (keys: readonly { privateKey: KeyObject }[]): Promise<boolean> => {
  const id = 'evt_1';
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const body = Buffer.from('{"id":"evt_1"}');
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const signatures = keys.map(({ privateKey }) => `v1a,${sign(null, signed, privateKey).toString('base64')}`);
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
  return isGenuine(body, headers);
};

it('verifies before, during and after a rotation, and forgeries make it fetch no more than every ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  expect(await isVerified([older])).toBe(true);
  expect(await isVerified([newer, older])).toBe(true);
  listed = [newer, older];
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(await isVerified([newer, older])).toBe(true);
  expect(fetches).toBe(1);
  listed = [newer];
  expect(await isVerified([newer])).toBe(true);
  expect(fetches).toBe(2);
  for (let count = 0; count < 5; count += 1) expect(await isVerified([stranger])).toBe(false);
  expect(fetches).toBe(2);
  expect(await isVerified([older])).toBe(false);
});
