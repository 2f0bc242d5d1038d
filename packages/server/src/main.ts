/** The process: settings, start, signals. */
import { startApp } from './app/start-app.ts';
import { createLog } from './base/log.ts';
import { ConfigError, readConfig, settingWarnings, type Config } from './config.ts';
import { keepTickShape } from './http/node-internals.ts';

const settings = (): Config => {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`Settings: ${error.message}`);
    process.exit(1);
  }
};

keepTickShape();
const config = settings();
const log = createLog(config.logLevel);
for (const warning of settingWarnings()) log.warn(warning);

const starting = startApp(config, log);
let stopping = false;
const hurry = new AbortController();
const stop = async (signal: string): Promise<void> => {
  // A person at the keyboard should not wait; a second signal also ends the delay.
  if (stopping || signal === 'SIGINT') hurry.abort();
  if (stopping) return;
  stopping = true;
  log.info({ signal }, 'stopping');
  try {
    await (await starting).stop(hurry.signal);
    process.exit(0);
  } catch (error) {
    log.fatal({ err: error }, 'could not stop cleanly');
    process.exit(1);
  }
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, (name) => void stop(name));

try {
  await starting;
} catch (error) {
  log.fatal({ err: error }, 'could not start');
  process.exit(1);
}
