/** Settings, start, stop. `main.ts` has the signals. */
import { createLog } from '../base/log.ts';
import { ConfigError, readConfig, settingWarnings, type Config } from '../config.ts';
import { keepTickShape } from '../http/node-internals.ts';
import { startApp } from './start-app.ts';

const settings = (): Config => {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`Settings: ${error.message}`);
    process.exit(1);
  }
};

/** Starts the service. Returns what stops it and ends the process; a second call ends the delay before the stop. */
export const run = (): ((signal: NodeJS.Signals) => void) => {
  keepTickShape();
  const config = settings();
  const log = createLog(config.logLevel);
  for (const warning of settingWarnings()) log.warn(warning);
  const starting = startApp(config, log);
  starting.catch((error: unknown) => {
    log.fatal({ err: error }, 'could not start');
    process.exit(1);
  });

  let stopping = false;
  const hurry = new AbortController();
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
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
  return (signal) => void stop(signal);
};
