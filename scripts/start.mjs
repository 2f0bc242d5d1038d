/**
 * `npm start`: from a fresh clone to a running directory, with its own Redis, template provider, bots and subscriber.
 * Every environment variable overrides what is chosen here; `DATA_DIR` (`.data`) is where the Redis keeps its data.
 * `DEMO=0` or `-- --no-demo` leaves out the bots and the subscriber, as does a TEMPLATE_HOST or REDIS_URL of one's
 * own. `-- --busy` keeps publishing, changing and removing bots. `-- --verbose` shows what the package manager and the
 * build say. Ctrl-C ends all of it.
 */
import './require-node.mjs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTemplateProvider } from '../examples/template-provider/src/provider.js';
import { startChild, stopChild } from './child.mjs';
import { findOrInstallRedis } from './find-redis.mjs';
import { buildToRun, installToRun, root } from './pnpm.mjs';
import { isTaken } from './port.mjs';
import { startRedis } from './redis.mjs';

const { env } = process;
const usualPort = 3000;
const demoHost = 'bots.example.com';
const dataFolder = resolve(root, env.DATA_DIR || '.data');
const isDemo = !process.argv.includes('--no-demo') && env.DEMO !== '0' && !env.TEMPLATE_HOST && !env.REDIS_URL;
const isBusy = process.argv.includes('--busy');
const needed = ['@bot-directory/server', ...(isDemo ? ['@bot-directory/example-subscriber-express'] : [])];

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

/**
 * Runs what takes a while, and prints its name and its time.
 * @template Result
 * @param {string} name
 * @param {() => Promise<Result>} action
 */
const step = async (name, action) => {
  process.stdout.write(`${name.padEnd(8)}`);
  const since = performance.now();
  const result = await action();
  console.log(`${((performance.now() - since) / 1_000).toFixed(1)} s`);
  return result;
};

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
  const redis = await step('Redis', async () => {
    await findOrInstallRedis();
    return startRedis({ dir: join(dataFolder, 'redis'), persist: true });
  });
  running.push(redis.stop);
  return redis.url;
};

/**
 * Starts the demo provider, unless the environment names another one.
 * @param {string} address of the directory
 */
const templateProvider = async (address) => {
  if (env.TEMPLATE_HOST) return undefined;
  const provider = await startTemplateProvider({ directory: { address, templateHost: demoHost } });
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

/** Whether the directory has a template. @param {string} address @param {string} link */
const isListed = async (address, link) => {
  const response = await fetch(`${address}/api/bots?link=${encodeURIComponent(link)}`);
  return response.ok && /** @type {unknown[]} */ (await response.json()).length > 0;
};

/**
 * Returns the link of a template that the directory does not have yet, so that the command works.
 * @param {string} address
 * @param {Awaited<ReturnType<typeof templateProvider>>} provider
 */
const exampleLink = async (address, provider) => {
  if (provider === undefined) return `https://${env.TEMPLATE_HOST}/bot/<template_id>`;
  const known = provider.templates.map(({ id }) => id);
  for (let made = 1; ; made += 1) {
    const link = `https://${demoHost}/bot/${known.shift() ?? `my-bot-${made}`}`;
    if (!(await isListed(address, link))) return link;
  }
};

/**
 * Starts the subscriber and publishes the bots. A directory that refuses them, with settings of its own, stays as it
 * is.
 * @param {{ publishDemo: Demo['publishDemo'], startSubscriber: Demo['startSubscriber'] }} demo
 * @param {Parameters<Demo['startSubscriber']>[0]} options
 * @typedef {typeof import('./demo.mjs')} Demo
 */
const startDemo = async ({ publishDemo, startSubscriber }, options) => {
  const { address } = options;
  try {
    const subscriber = await startSubscriber(options);
    running.push(subscriber.stop);
    const published = await publishDemo({ address, templateHost: demoHost });
    if (published > 0) console.log(`\nThe demo published ${published} bots; DEMO=0 leaves a new directory empty.`);
    console.log(`\nA subscriber prints each delivery here: ${subscriber.url}`);
  } catch (error) {
    console.error(`The demo is not complete: ${error instanceof Error ? error.message : error}`);
  }
};

/**
 * @param {string} baseUrl
 * @param {string} link of a template
 * @param {Awaited<ReturnType<typeof templateProvider>>} provider
 */
const sayWhatToTry = (baseUrl, link, provider) =>
  console.log(`
The directory is at ${baseUrl}

Submit a bot${provider === undefined ? '' : ` (the templates to choose from: ${provider.origin}/, and /bot/<any-words>)`}:
  curl -sS ${baseUrl}/api/bots/submit -H 'Content-Type: application/json' -d '${JSON.stringify({ link })}'

See it in the list, and on the page that its url names:
  ${baseUrl}/api/bots

The API's description:
  ${baseUrl}/api/openapi.json

Ctrl-C stops everything.
`);

const prepare = async () => {
  await step('Install', async () => {
    if ((await installToRun(needed)) !== 0) throw new Error('The install failed.');
  });
  await step('Build', async () => {
    if ((await buildToRun(needed)) !== 0) throw new Error('The build failed.');
  });
};

const start = async () => {
  // Even what has not changed would be written again, under tests that run at the same time.
  if (env.INSIDE_NPM_TEST === undefined) await prepare();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0));
  const PORT = await choosePort();
  const BASE_URL = env.BASE_URL || `http://localhost:${PORT}`;
  const REDIS_URL = await redisUrl();
  const provider = await templateProvider(BASE_URL);
  const templates = provider && {
    TEMPLATE_HOST: demoHost,
    TEMPLATE_ORIGIN: env.TEMPLATE_ORIGIN || provider.origin,
    INSTALL_ORIGIN: env.INSTALL_ORIGIN || provider.origin,
  };
  // It has dependencies, which the install has brought only now.
  const demo = isDemo ? await import('./demo.mjs') : undefined;
  const tls = await demo?.prepareTls(join(dataFolder, 'tls'), env);
  const address = await startServer({ PORT, BASE_URL, REDIS_URL, ...templates, ...tls?.settings });
  if (demo && tls) await startDemo(demo, { address, redisUrl: REDIS_URL, tls });
  if (demo && isBusy) {
    const { startBusy } = await import('./busy.mjs');
    running.push(startBusy({ address, templateHost: demoHost, redisUrl: REDIS_URL }));
  }
  sayWhatToTry(BASE_URL, await exampleLink(address, provider), provider);
};

start().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return stop(1);
});
