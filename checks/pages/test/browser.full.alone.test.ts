/**
 * All tests that need a browser, in one file: they share one Chromium and one directory, and run in parallel. No other
 * test runs meanwhile: Chromium ends all requests when an address of the machine comes or goes, as cables of tests do.
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { needs } from '@bot-directory/testing/needs';
import { testServedPages, testStates } from './browser/every-page.ts';
import { testJourneys } from './browser/journeys.ts';
import { mediaTests } from './browser/media.ts';
import { policyTests } from './browser/policy.ts';
import { scriptTests } from './browser/script.ts';
import { startWorld, stopWorld, type World } from './browser/world.ts';

let started: World | undefined;
beforeAll(async () => {
  started = await startWorld();
});
afterAll(async () => {
  if (started !== undefined) await stopWorld(started);
});
const world = (): World => {
  if (started === undefined) throw new Error('there is no browser');
  return started;
};

// All run side by side in one browser, so each waits for the others.
describe.concurrent('in a browser', { timeout: 600_000, ...needs('chromium') }, () => {
  describe('people', () => testJourneys(world));
  describe.each([
    ['the script', scriptTests],
    ['the policy', policyTests],
    ['a page', mediaTests],
  ])('%s', (_name, tests) => {
    for (const [does, test] of Object.entries(tests)) it(does, () => test(world()));
  });
  describe('a state', () => testStates(world));
  describe('a page', () => testServedPages(world));
});
