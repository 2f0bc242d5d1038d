/**
 * The demo of `npm start`: bots, posts and installs for an empty directory, and a subscriber that prints each delivery.
 * Everything goes through the API, as a stranger would send it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { makeCertificate } from './certificate.mjs';
import { startChild, stopChild } from './child.mjs';
import { root } from './pnpm.mjs';

/** The folder of the subscriber, which is a package of its own. */
const subscriberFolder = join(root, 'examples/subscriber-express');

/**
 * What is published, in this order: a template's id, its author, its categories, and how often it is installed. One
 * template is left for the command in README.
 * @type {readonly (readonly [id: string, author: string, categories: readonly string[], installs: number])[]}
 */
const submissions = [
  ['language-tutor', '@ada', ['Education'], 0],
  ['recipe-planner', '@linus', ['Operations', 'Other'], 2],
  ['on-call-digest', '@grace_h', ['Engineering', 'Operations'], 4],
  ['expense-sorter', '@margaret', ['Finance'], 1],
  ['social-post-planner', '@ada', ['Social Media', 'Marketing'], 6],
  ['changelog-writer', '@grace_h', ['Engineering', 'Content'], 3],
  ['support-triage', '@margaret', ['Support'], 9],
  ['churn-watch', '@margaret', ['Data & Analytics', 'Support'], 2],
  ['lead-researcher', '@linus', ['Sales', 'Research'], 0],
  ['meeting-notes', '@ada', ['Productivity'], 12],
  ['invoice-chaser', '@margaret', ['Finance', 'Operations'], 1],
  ['pull-request-reviewer', '@grace_h', ['Engineering'], 5],
];

/** Two showcase posts; the first also announces its bot. */
const posts = [
  { url: 'https://x.com/grace_h/status/1770000000000000001', about: 'pull-request-reviewer' },
  { url: 'https://x.com/ada/status/1770000000000000002' },
];

/**
 * Publishes the demo's bots, unless the directory has any. Returns how many were published. Throws if the directory
 * refuses something, as it does when its categories are others. Needs `TRUST_PROXY=loopback`, because each install is
 * a visitor's.
 * @param {{ address: string, templateHost: string }} options `address`: the directory's on this machine
 */
export const publishDemo = async ({ address, templateHost }) => {
  const listed = await fetch(`${address}/api/bots?limit=1`);
  if (/** @type {unknown[]} */ (await listed.json()).length > 0) return 0;
  for (const [id, author, categories, installs] of submissions) {
    const source_url = posts.find(({ about }) => about === id)?.url;
    const link = `https://${templateHost}/bot/${id}`;
    const { slug } = await post(`${address}/api/bots/submit`, { link, author, categories, source_url });
    for (let i = 1; i <= installs; i += 1) await install(`${address}/bots/${slug}/install`, `198.51.100.${i}`);
  }
  for (const { url } of posts) await post(`${address}/api/feed`, { url });
  return submissions.length;
};

/**
 * @param {string} url
 * @param {object} body
 */
export const post = async (url, body) => {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status} from ${new URL(url).pathname}: ${await response.text()}`);
  return /** @type {Promise<{ slug?: string }>} */ (response.json());
};

/**
 * Installs as a visitor does, from an address kept for documentation.
 * @param {string} url
 * @param {string} visitor
 */
export const install = (url, visitor) =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': visitor },
  });

/**
 * Makes the files with which a subscriber listens on `127.0.0.1`, and the settings of a directory that trusts and
 * calls it, in addition to what the environment has.
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
export const prepareTls = async (folder, env) => {
  mkdirSync(folder, { recursive: true });
  const certificate = await makeCertificate({
    authority: 'Demo of the Public Bot Directory',
    names: ['localhost'],
    addresses: ['127.0.0.1'],
  });
  /** @param {string} name @param {string} content */
  const file = (name, content) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const others = env.NODE_EXTRA_CA_CERTS ? readFileSync(env.NODE_EXTRA_CA_CERTS, 'utf8') : '';
  return {
    key: file('key.pem', certificate.key),
    cert: file('cert.pem', certificate.cert),
    settings: {
      NODE_EXTRA_CA_CERTS: file('ca.pem', `${others}\n${certificate.ca}`),
      WEBHOOK_ALLOWED_NETWORKS: [env.WEBHOOK_ALLOWED_NETWORKS, '127.0.0.1/32'].filter(Boolean).join(),
      TRUST_PROXY: env.TRUST_PROXY || 'loopback',
      // A line for each request would hide those of the subscriber.
      LOG_LEVEL: env.LOG_LEVEL || 'warn',
    },
  };
};

/**
 * Starts the subscriber of the examples, which prints each delivery, and registers it. Returns its URL, and `stop`,
 * which removes the webhook first.
 * @param {{ address: string, redisUrl: string, tls: { key: string, cert: string } }} options
 */
export const startSubscriber = async ({ address, redisUrl, tls }) => {
  const tsx = pathToFileURL(createRequire(join(root, 'package.json')).resolve('tsx')).href;
  const child = startChild(process.execPath, ['--import', tsx, join(subscriberFolder, 'src/main.ts')], {
    stdio: 'pipe',
    env: {
      ...process.env,
      DIRECTORY_URL: address,
      // Another database than the directory's.
      REDIS_URL: `${redisUrl}/1`,
      PORT: '0',
      TLS_KEY: tls.key,
      TLS_CERT: tls.cert,
    },
  });
  const stopped = () => stopChild(child);
  const url = await listeningAt(child);
  const webhooks = `${address}/api/webhooks/bots`;
  await post(webhooks, { url }).catch((error) => stopped().then(() => Promise.reject(error)));
  return {
    url,
    stop: async () => {
      const signal = AbortSignal.timeout(2_000);
      await fetch(`${webhooks}?url=${encodeURIComponent(url)}`, { method: 'DELETE', signal }).catch(() => undefined);
      await stopped();
    },
  };
};

/**
 * Prints what a subscriber prints, except where it listens. Resolves to that.
 * @param {import('./child.mjs').ChildProcess} child
 * @returns {Promise<string>}
 */
const listeningAt = (child) =>
  new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('The subscriber ended.')));
    for (const input of [child.stdout, child.stderr]) {
      if (input === null) continue;
      createInterface({ input }).on('line', (line) => {
        const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
        if (url === undefined) console.log(line);
        else resolve(url);
      });
    }
  });
