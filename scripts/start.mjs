/**
 * `npm start`: from a fresh clone to a running directory, with its own Redis and template provider. Every environment
 * variable overrides what is chosen here; `DATA_DIR` (`.data`) is where the Redis keeps its data. Ctrl-C ends all of
 * it.
 */
import './require-node.mjs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTemplateProvider } from '../examples/template-provider/src/provider.js';
import { startChild, stopChild } from './child.mjs';
import { findOrInstallRedis } from './find-redis.mjs';
import { install, root, turbo } from './pnpm.mjs';
import { isTaken } from './port.mjs';
import { startRedis } from './redis.mjs';

const { env } = process;
const usualPort = 3000;
const demoHost = 'bots.example.com';
const serverAndItsNeeds = '--filter=@bot-directory/server...';

/** @type {(() => Promise<void>)[]} What ends each thing that runs, in the order in which they were started. */
const running = [];

/** @type {Promise<never> | undefined} */
let stopping;

/** @param {number} exitCode */
const stop = (exitCode) =>
  (stopping ??= (async () => {
    for (const end of running.toReversed()) await end();
    process.exit(exitCode);
  })());

const choosePort = async () => {
  if (env.PORT) {
    if (await isTaken(Number(env.PORT))) throw new Error(`Port ${env.PORT} is taken; set PORT to another one.`);
    return env.PORT;
  }
  let port = usualPort;
  while (await isTaken(port)) port += 1;
  if (port !== usualPort) console.log(`Port ${usualPort} is taken, so this is port ${port}. Set PORT to choose one.`);
  return String(port);
};

const redisUrl = async () => {
  if (env.REDIS_URL) return env.REDIS_URL;
  await findOrInstallRedis();
  const redis = await startRedis({ dir: resolve(root, env.DATA_DIR || '.data', 'redis'), persist: true });
  running.push(redis.stop);
  return redis.url;
};

/** Starts the demo provider, unless the environment names another one. */
const templateProvider = async () => {
  if (env.TEMPLATE_HOST) return undefined;
  const provider = await startTemplateProvider();
  running.push(provider.close);
  return provider;
};

/**
 * Starts the server. Resolves to the URL at which it answers on this machine.
 * @param {NodeJS.ProcessEnv} settings
 */
const startServer = async (settings) => {
  const server = startChild(process.execPath, [join(root, 'packages/server/dist/main.js')], {
    env: { SHUTDOWN_DELAY: '0s', ...env, ...settings },
  });
  running.push(() => stopChild(server));
  server.once('exit', (code) => stop(code ?? 1));
  const host = ['', '0.0.0.0', '::'].includes(env.HOST ?? '') ? 'localhost' : env.HOST;
  const address = `http://${host}:${settings.PORT}`;
  while (!(await answers(`${address}/healthz`))) await sleep(50);
  return address;
};

/** @param {string} url */
const answers = (url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Returns the link of a template that the directory does not have yet, if one is left, so that the command works.
 * @param {string} address
 * @param {Awaited<ReturnType<typeof templateProvider>>} provider
 */
const exampleLink = async (address, provider) => {
  if (provider === undefined) return `https://${env.TEMPLATE_HOST}/bot/<template_id>`;
  const response = await fetch(`${address}/api/bots`);
  const bots = /** @type {{ name: string }[]} */ (response.ok ? await response.json() : []);
  const names = new Set(bots.map(({ name }) => name));
  const fresh = provider.templates.find(({ name }) => !names.has(name)) ?? provider.templates[0];
  return `https://${demoHost}/bot/${fresh?.id}`;
};

/**
 * @param {string} baseUrl
 * @param {string} link of a template
 * @param {Awaited<ReturnType<typeof templateProvider>>} provider
 */
const sayWhatToTry = (baseUrl, link, provider) =>
  console.log(`
The directory is at ${baseUrl}

Submit a bot${provider === undefined ? '' : ` (the templates to choose from: ${provider.origin}/)`}:
  curl -sS ${baseUrl}/api/bots/submit -H 'Content-Type: application/json' -d '${JSON.stringify({ link })}'

See it in the list, and on the page that its url names:
  ${baseUrl}/api/bots

The API's description:
  ${baseUrl}/api/openapi.json

Ctrl-C stops everything.
`);

const prepare = async () => {
  // A quarter of the whole install: the rest is only needed to test the packages in other runtimes.
  if ((await install(['--filter=.', serverAndItsNeeds])) !== 0) throw new Error('The install failed.');
  if ((await turbo('build', [serverAndItsNeeds])) !== 0) throw new Error('The build failed.');
};

const start = async () => {
  // Even what has not changed would be written again, under tests that run at the same time.
  if (env.INSIDE_NPM_TEST === undefined) await prepare();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0));
  const PORT = await choosePort();
  const BASE_URL = env.BASE_URL || `http://localhost:${PORT}`;
  const REDIS_URL = await redisUrl();
  const provider = await templateProvider();
  const demo = provider && { TEMPLATE_HOST: demoHost, TEMPLATE_ORIGIN: env.TEMPLATE_ORIGIN || provider.origin };
  const address = await startServer({ PORT, BASE_URL, REDIS_URL, ...demo });
  sayWhatToTry(BASE_URL, await exampleLink(address, provider), provider);
};

start().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return stop(1);
});
