/** The real directory as it is deployed, on its own Redis, for subscribers on this machine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCertificate } from '@bot-directory/testing/certificate';
import { startProcess } from '@bot-directory/testing/process';
import { startProvider, templateHost } from '@bot-directory/testing/provider';
import { startTestRedis } from '@bot-directory/testing/redis';

/** Starts it, with files of a certificate that it trusts. */
export const startDirectory = async () => {
  const [redis, provider, tls] = await Promise.all([startTestRedis(), startProvider(), testCertificate()]);
  const folder = mkdtempSync(join(tmpdir(), 'bot-directory-subscriber-'));
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const files = { key: file('key.pem', tls.key), cert: file('cert.pem', tls.cert), ca: file('ca.pem', tls.ca) };
  const server = await startProcess({
    REDIS_URL: redis.url,
    TEMPLATE_HOST: templateHost,
    TEMPLATE_ORIGIN: provider.origin,
    NODE_EXTRA_CA_CERTS: files.ca,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_RETRY_DELAYS: Array.from({ length: 9 }, () => '100ms').join(),
    LOG_LEVEL: 'error',
    SHUTDOWN_DELAY: '0s',
  });
  return {
    url: server.url,
    tls,
    redisUrl: redis.url,
    /** The settings that every subscriber to it needs. */
    settings: { DIRECTORY_URL: server.url, TLS_KEY: files.key, TLS_CERT: files.cert },
    /** Adds a webhook; returns the status. */
    subscribe: async (url: string) => (await server.post('/api/webhooks/bots', { url })).status,
    /** Publishes a bot with this name; returns the status. */
    publish: async (name: string) => {
      const link = `https://${templateHost}/bot/${provider.template({ name, description: 'Does one thing.' })}`;
      return (await server.post('/api/bots/submit', { link })).status;
    },
    stop: async () => {
      await server.stop();
      await Promise.all([redis.stop(), provider.stop()]);
      rmSync(folder, { recursive: true });
    },
  };
};
