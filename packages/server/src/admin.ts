/** The operator's command line: `node dist/admin.js pause | resume`. Of the service's settings it needs `REDIS_URL`. */
import { createLog } from './base/log.ts';
import { ConfigError, readRedisUrls } from './config.ts';
import { createQueueState } from './store/queue-state.ts';
import { openStore, waitForStore } from './store/redis.ts';

const usage = `Usage: node dist/admin.js COMMAND
  pause     stop sending webhook deliveries, in every process, within a second; nothing is lost
  resume    send again, from where each webhook was`;
const storeWaitMs = 5_000;

const run = async (command: string | undefined): Promise<string> => {
  if (command !== 'pause' && command !== 'resume') throw new ConfigError(usage);
  const redisUrls = readRedisUrls();
  if (redisUrls.length === 0) throw new ConfigError('REDIS_URL is required');
  const store = openStore(redisUrls, createLog('silent'));
  try {
    if (!(await waitForStore(store, storeWaitMs))) throw new ConfigError('the store at REDIS_URL does not answer');
    await createQueueState(store).setPaused(command === 'pause');
    return command === 'pause' ? 'Deliveries are paused.' : 'Deliveries go on.';
  } finally {
    await store.close();
  }
};

try {
  console.log(await run(process.argv[2]));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
