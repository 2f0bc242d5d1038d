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

/** Starts the service. Returns what stops it and ends the process. A signal a second later ends the delay before it. */
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

  let stoppedAtMs: number | undefined;
  const hurry = new AbortController();
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    // A person at the keyboard should not wait; another signal also ends the delay. Where npx started the process,
    // systemd's signal comes twice: npx passes on its own.
    const nowMs = performance.now();
    if (signal === 'SIGINT' || nowMs - (stoppedAtMs ?? nowMs) > 1_000) hurry.abort();
    if (stoppedAtMs !== undefined) return;
    stoppedAtMs = nowMs;
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
