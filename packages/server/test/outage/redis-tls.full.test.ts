/** TLS to Redis: an authority that the store's settings trust is trusted for no webhook and no template provider. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate, testCertificate, type TestCertificate } from '@bot-directory/testing/certificate';
import { startCluster } from '@bot-directory/testing/cluster';
import { runToEnd, startProcess } from '@bot-directory/testing/process';
import { templateHost } from '@bot-directory/testing/provider';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startTestRedis, tlsFiles, type TestRedis } from '@bot-directory/testing/redis';
import { startSentinels } from '@bot-directory/testing/sentinel';
import { until } from '@bot-directory/testing/until';
import { freePort } from '../../../../scripts/port.mjs';
import { readConfig } from '../../src/config.ts';

let folder: string;
let certificate: TestCertificate;
let redis: TestRedis;
/** The URL of the server that demands a client's certificate. */
let url: string;
let ca: { REDIS_TLS_CA_FILE: string };
let client: { REDIS_TLS_CERT_FILE: string; REDIS_TLS_KEY_FILE: string };
let foreign: { REDIS_TLS_CA_FILE: string };

const inFolder = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
  certificate = await testCertificate();
  const port = await freePort();
  redis = await startTestRedis({ settings: { 'tls-port': String(port), ...tlsFiles(folder, certificate) } });
  url = `rediss://127.0.0.1:${port}`;
  ca = { REDIS_TLS_CA_FILE: inFolder('ca.pem', certificate.ca) };
  client = {
    REDIS_TLS_CERT_FILE: inFolder('cert.pem', certificate.cert),
    REDIS_TLS_KEY_FILE: inFolder('key.pem', certificate.key),
  };
  foreign = { REDIS_TLS_CA_FILE: inFolder('foreign.pem', (await makeCertificate()).ca) };
});
afterAll(async () => {
  await redis.stop();
  rmSync(folder, { recursive: true });
});

const own = { TEMPLATE_HOST: templateHost };

let posts = 0;
/** Runs server, worker and command line on a store. */
const expectService = async (settings: Record<string, string>): Promise<void> => {
  for (const ROLE of ['worker', 'web']) {
    const server = await startProcess({ ...own, ...settings, ROLE });
    await until('it is ready', async () => (await server.get('/readyz')).status === 200);
    if (ROLE === 'web') {
      const added = await server.post('/api/feed', { url: `https://x.com/jo/status/${(posts += 1)}` });
      expect([added.status, (await server.get('/api/feed')).body]).toEqual([200, expect.arrayContaining([added.body])]);
    }
    await server.stop();
  }
  const { code, output } = await runToEnd('admin.js', settings, ['bots']);
  expect(code, output).toBe(0);
};

describe('the settings let server, worker and command line reach', () => {
  it('a Redis that demands a certificate', () => expectService({ ...ca, ...client, REDIS_URL: url }));

  it('Sentinels and their servers', async () => {
    const group = await startSentinels({ certificate });
    await expectService({ ...ca, REDIS_URL: group.url });
    await group.stop();
  });

  it('a Cluster, also by one of its nodes', async () => {
    const cluster = await startCluster({ certificate });
    await expectService({ ...ca, ...client, REDIS_URL: cluster.url });
    const [REDIS_URL = ''] = cluster.url.split(',');
    expect((await runToEnd('admin.js', { ...ca, ...client, REDIS_URL }, ['bots'])).code).toBe(0);
    await cluster.stop();
  });

  it('a server with a name that is not in the URL', () =>
    expectService({ ...ca, ...client, REDIS_URL: url, REDIS_TLS_SERVERNAME: 'localhost' }));
});

describe('a line names the setting when', () => {
  it.each([
    ['the authority is another', 'REDIS_TLS_CA_FILE', () => ({ ...foreign, ...client })],
    [
      'the certificate has another name',
      'REDIS_TLS_SERVERNAME',
      () => ({ ...ca, ...client, REDIS_TLS_SERVERNAME: 'a' }),
    ],
    [
      'nothing else is verified',
      'REDIS_TLS_CA_FILE',
      () => ({ ...foreign, ...client, NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
    ],
  ])('%s', async (_case, name, settings) => {
    const server = await startProcess({ ...own, ...settings(), REDIS_URL: url });
    await until('it says so', () => server.output().includes(`: see ${name}"`));
    expect((await server.get('/api/bots')).status).toBe(500);
    await server.stop();
    const { code, output } = await runToEnd('admin.js', { ...settings(), REDIS_URL: url }, ['bots']);
    expect([code, output]).toEqual([1, expect.stringContaining(`: see ${name}`)]);
  });

  it.each([
    ['a certificate has no key', 'REDIS_TLS_CERT_FILE', () => ({ REDIS_TLS_CERT_FILE: client.REDIS_TLS_CERT_FILE })],
    ['a key has no certificate', 'REDIS_TLS_KEY_FILE', () => ({ REDIS_TLS_KEY_FILE: client.REDIS_TLS_KEY_FILE })],
    [
      'the key is of another one',
      'REDIS_TLS_KEY_FILE',
      () => ({ ...client, REDIS_TLS_CERT_FILE: ca.REDIS_TLS_CA_FILE }),
    ],
    ['the connection has no TLS', 'REDIS_TLS_CA_FILE', () => ({ ...ca, REDIS_URL: 'redis://127.0.0.1' })],
  ])('%s', (_case, name, settings) => {
    expect(() => readConfig({ ...own, REDIS_URL: url, ...settings() })).toThrow(new RegExp(`^${name} must [^;]+$`));
  });
});

it('verifies webhooks and templates, whatever Node and Redis are set to trust', async () => {
  const receiver = await startReceiver();
  receiver.respond((_received, res) => res.end('{"name":"Trusted"}'));
  const server = await startProcess({
    ...own,
    ...ca,
    ...client,
    REDIS_URL: url,
    TEMPLATE_ORIGIN: receiver.url(''),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  });
  await until('it is ready', async () => (await server.get('/readyz')).status === 200);
  const link = `https://${templateHost}/bot/t1`;
  expect((await server.post('/api/bots/submit', { link, author: '@a' })).status).toBe(503);
  const registered = await server.post('/api/webhooks/bots', { url: receiver.url('/hook') });
  expect([registered.status, JSON.stringify(registered.body)]).toEqual([
    400,
    expect.stringContaining('The TLS handshake failed'),
  ]);
  expect(receiver.received).toEqual([]);
  await server.stop();
  await receiver.stop();
});
