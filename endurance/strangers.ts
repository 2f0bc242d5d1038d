/**
 * Two tests of the suite with far more strangers: readers who leave, and different URLs. Nothing of them may be kept.
 */
import { join } from 'node:path';
import { run } from '../scripts/child.mjs';

const env = { ...process.env, LEAVING_READERS: '50000', HOSTILE_URLS: '100000' };
const files = ['streams-that-leave', 'hostile-urls'].map((name) => `test/outage/${name}`);
process.exitCode = await run('npx', ['vitest', 'run', '--test-timeout', '600000', ...files], {
  cwd: join(import.meta.dirname, '../packages/server'),
  env,
});
