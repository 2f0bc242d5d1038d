/** The example subscribed to the real service: as a person runs it on Node over HTTPS, and in every other runtime. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimes } from '@bot-directory/check-runtimes/runtimes';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { permitted } from '@bot-directory/testing/needs';
import { startDirectory } from '../../subscriber-express/test/support/directory.ts';
import { forward, startForgetfulProxy } from '../../subscriber-express/test/support/forgetful-proxy.ts';
import { startSubscriber } from '../../subscriber-express/test/support/subscriber.ts';
import type { Input } from './in-a-runtime.ts';

const main = join(import.meta.dirname, '../src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'bot-directory-subscriber-fetch-'));
const bundle = join(folder, 'subscriber.mjs');

let directory: Awaited<ReturnType<typeof startDirectory>>;
let subscriber: Awaited<ReturnType<typeof startSubscriber>>;
let proxy: Awaited<ReturnType<typeof startForgetfulProxy>>;
beforeAll(async () => {
  directory = await startDirectory();
  subscriber = await startSubscriber(main, directory.settings);
  proxy = await startForgetfulProxy(subscriber.url, directory.tls);
});
afterAll(async () => {
  await proxy.close();
  await subscriber.stop();
  await directory.stop();
  rmSync(folder, { recursive: true });
});

const created = () => {
  const [delivery] = proxy.created();
  if (delivery === undefined) throw new Error('nothing was delivered');
  return delivery;
};

it('is pinged, and reports a bot once although it is delivered twice', async () => {
  expect(await directory.subscribe(proxy.url)).toBe(200);
  expect(await directory.publish('Meeting Notes')).toBe(200);
  await until('the event came twice', () => proxy.created().length === 2);
  expect(proxy.deliveries.map(({ headers, status, answer }) => [headers['x-service-event'], status, answer])).toEqual([
    ['ping', 200, '{"code":"handled"}'],
    ['bot.created', 200, '{"code":"handled"}'],
    ['bot.created', 200, '{"code":"duplicate"}'],
  ]);
  await until('both have a line', () => subscriber.lines.length > 1);
  expect(subscriber.lines).toEqual(['pinged', `new bot: Meeting Notes, ${directory.url}/bots/meeting-notes`]);
});

it('refuses a delivery that is not as it was signed', async () => {
  const { headers, body } = created();
  const later = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) };
  const { status, answer } = await forward(subscriber.url, { headers: later, body }, directory.tls);
  expect([status, answer]).toEqual([401, '{"code":"invalid_signature"}']);
  expect(subscriber.lines).toHaveLength(2);
});

describe('the same file in every runtime, with a real delivery', () => {
  beforeAll(async () => {
    const entryPoints = [join(import.meta.dirname, 'in-a-runtime.ts')];
    // Neutral: a module that only one runtime has stays an import, and fails in the others.
    await build({ entryPoints, bundle: true, format: 'esm', platform: 'neutral', outfile: bundle });
  });

  describe.each(runtimes)('$name', (runtime) => {
    it('verifies it, and handles it once', permitted(runtime.name, runtime.available), async () => {
      const { headers, body } = created();
      // The others belong to the sender's connection, or a page may not set them.
      const signed = Object.entries(headers).filter(([header]) => /^(content-type$|webhook-|x-service-)/.test(header));
      const signedHeaders = Object.fromEntries(signed) as Record<string, string>;
      const input: Input = { directoryUrl: directory.url, headers: signedHeaders, body: String(body) };
      expect(await runtime.run(bundle, input)).toEqual({
        answers: ['200 {"code":"handled"}', '200 {"code":"duplicate"}', '401 {"code":"invalid_signature"}'],
        lines: [`new bot: Meeting Notes, ${directory.url}/bots/meeting-notes`],
      });
    });
  });
});
