/**
 * `npm start -- --busy`: a directory in which something happens, for those who build a subscriber. It repeats a short
 * recording: bots that are published, one that is installed, one that changes and one that is removed.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { install, post } from './demo.mjs';
import { root } from './pnpm.mjs';

const admin = join(root, 'packages/server/dist/admin.js');

/** How long nothing happens between two steps, in milliseconds. */
const pauseMs = 5_000;

/**
 * The recording. A bot is called by the words of its template's id.
 * @type {readonly (readonly [does: 'publish' | 'install' | 'change' | 'remove', bot: string])[]}
 */
const recording = [
  ['publish', 'inbox-summary'],
  ['publish', 'release-announcer'],
  ['install', 'inbox-summary'],
  ['change', 'release-announcer'],
  ['publish', 'standup-reminder'],
  ['remove', 'inbox-summary'],
];

/** What is done for each word of the recording. */
const steps = {
  /** @param {Busy} busy @param {Run} run */
  publish: async ({ address, templateHost }, { id, slugs }) => {
    const link = `https://${templateHost}/bot/${id}`;
    const { slug = '' } = await post(`${address}/api/bots/submit`, { link, author: '@ada', categories: [] });
    slugs.set(id, slug);
  },
  /** @param {Busy} busy @param {Run} run */
  install: async ({ address }, { slug }) => {
    await install(`${address}/bots/${slug}/install`, '198.51.100.77');
  },
  /** @param {Busy} busy @param {Run} run */
  change: async ({ address }, { slug }) => {
    await post(`${address}/api/bots/${slug}/integrations`, { integrations: ['GitHub'] });
  },
  /** @param {Busy} busy @param {Run} run */
  remove: async ({ redisUrl }, { slug }) => {
    const args = [admin, '--yes', 'remove', slug, '--reason', 'The recording removes it.'];
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, REDIS_URL: redisUrl } });
  },
};

/**
 * @typedef {{ address: string, templateHost: string, redisUrl: string }} Busy
 * @typedef {{ id: string, slug: string, slugs: Map<string, string> }} Run
 */

/**
 * Repeats the recording until it is stopped, and prints what it does. Returns what stops it.
 * @param {Busy} busy
 */
export const startBusy = (busy) => {
  const ending = new AbortController();
  const play = async () => {
    // Templates of an earlier start are listed already.
    for (let take = Date.now().toString(36); ; take = Date.now().toString(36)) {
      const slugs = new Map();
      for (const [does, bot] of recording) {
        await sleep(pauseMs, undefined, { signal: ending.signal });
        const id = `${bot}-${take}`;
        console.log(`busy: ${does} ${id}`);
        await steps[does](busy, { id, slug: slugs.get(id) ?? '', slugs });
      }
    }
  };
  const played = play().catch((error) => {
    if (!ending.signal.aborted) console.error(`busy: ${error instanceof Error ? error.message : error}`);
  });
  return async () => {
    ending.abort();
    await played;
  };
};
