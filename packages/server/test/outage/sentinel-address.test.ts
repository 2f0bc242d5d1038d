/** What stands in REDIS_URL for Sentinels: passwords, TLS, and a clear line for each mistake. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testCertificate } from '@bot-directory/testing/certificate';
import { runToEnd, startProcess } from '@bot-directory/testing/process';
import { templateHost } from '@bot-directory/testing/provider';
import { startSentinels, type TestSentinels } from '@bot-directory/testing/sentinel';
import { freePort } from '../../../../scripts/port.mjs';

const settings = { TEMPLATE_HOST: templateHost };

describe('Sentinels with passwords and TLS', () => {
  let group: TestSentinels;
  let home: string;
  beforeAll(async () => {
    const certificate = await testCertificate();
    home = mkdtempSync(join(tmpdir(), 'bot-directory-ca-'));
    writeFileSync(join(home, 'ca.pem'), certificate.ca);
    group = await startSentinels({ certificate, password: 'data@1', sentinelPassword: 'watch&2' });
  });
  afterAll(async () => {
    await group.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('find the primary', async () => {
    const server = await startProcess({ ...settings, REDIS_URL: group.url, NODE_EXTRA_CA_CERTS: join(home, 'ca.pem') });
    const added = await server.post('/api/feed', { url: 'https://x.com/jo/status/1' });
    expect([added.status, (await server.get('/api/feed')).body]).toEqual([200, [added.body]]);
    await server.stop();
    expect(server.output()).not.toMatch(/data@1|data%401|watch&2|watch%262|Unhandled/);
  });

  it('whose certificates are not trusted are reported, with a line for each', async () => {
    const server = await startProcess({ ...settings, REDIS_URL: group.url });
    expect((await server.get('/api/bots')).status).toBe(500);
    await server.stop();
    const lines = server.output().split('\n');
    expect(lines.filter((line) => /certificate.*a Sentinel does not respond/.test(line))).toHaveLength(3);
  });
});

describe('the start', () => {
  let group: TestSentinels;
  beforeAll(async () => {
    group = await startSentinels({ servers: 1 });
  });
  afterAll(() => group.stop());

  const expectRefusal = async (url: string, why: RegExp): Promise<void> => {
    const settingsOf = { ...settings, PORT: '0', REDIS_URL: url };
    const ended = await Promise.all([runToEnd('main.js', settingsOf), runToEnd('admin.js', settingsOf, ['bots'])]);
    expect(ended.map(({ code }) => code)).toEqual([1, 1]);
    for (const { output } of ended) expect(output).toMatch(why);
  };

  it('ends with a line when the Sentinels know no primary of that name', () =>
    expectRefusal(group.urlOf({ name: 'mymaster' }), /ends in # and a name that the Sentinels do not know/));

  it('ends with a line when a plain address is that of a Sentinel', () =>
    expectRefusal(`redis://127.0.0.1:${group.sentinels[0]?.port}`, /leads to a Sentinel: write redis-sentinel:/));

  it('does not mind one Sentinel of several that is down', async () => {
    const ports = [await freePort(), ...group.sentinels.map(({ port }) => port)];
    const server = await startProcess({ ...settings, REDIS_URL: group.urlOf({ ports }) });
    expect((await server.get('/api/bots')).status).toBe(200);
    await server.stop();
    expect(server.output()).not.toContain('Unhandled');
  });

  it('waits for Sentinels that are all down, as for any store that is away', async () => {
    const server = await startProcess({ ...settings, REDIS_URL: group.urlOf({ ports: [await freePort()] }) });
    expect((await server.get('/api/bots')).status).toBe(500);
    await server.stop();
    expect(server.output()).toMatch(/the store is unreachable/);
  });
});
