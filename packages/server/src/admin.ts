/** The operator's command line: `npx bot-directory-admin`. Of the service's settings it needs REDIS_URL, and BASE_URL to restore. */
import { userInfo } from 'node:os';
import { createCommands } from './admin/commands.ts';
import { createProgram } from './admin/program.ts';
import { CommandError, type Terminal } from './admin/terminal.ts';
import { StoreUnreachable } from './base/failure.ts';
import { createLog } from './base/log.ts';
import { ConfigError, readOperatorConfig } from './config.ts';
import { BackupError } from './store/backup/backup.ts';
import { StoreNotEmpty } from './store/backup/write-records.ts';
import { firstLook, UnfitStore } from './store/model-version.ts';
import { createModerationStore } from './store/moderation-store.ts';
import { openStore } from './store/redis.ts';
import { createReportStore } from './store/report-store.ts';

const storeWaitMs = 5_000;
const expected = [CommandError, ConfigError, StoreUnreachable, BackupError, StoreNotEmpty, UnfitStore];

const program = createProgram((command) => async (...args) => {
  const { redisUrls, baseUrl } = readOperatorConfig();
  if (redisUrls.length === 0) throw new ConfigError('REDIS_URL is required');
  const store = openStore(redisUrls, createLog('silent'));
  try {
    if (!(await firstLook(store, redisUrls, storeWaitMs)))
      throw new ConfigError('the store at REDIS_URL does not answer');
    const commands = createCommands({
      store,
      moderation: createModerationStore(store),
      reports: createReportStore(store),
      operator: { name: userInfo().username, command: process.argv.slice(2).join(' ') },
      baseUrl,
      terminal: terminal(program.opts()),
    });
    await command(commands)(...args);
  } finally {
    await store.close();
  }
});

const terminal = ({ json = false, yes = false }: { json?: boolean; yes?: boolean }): Terminal => ({
  json,
  yes,
  out: (text) => {
    console.log(text);
  },
  progress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${text}`);
  },
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Error) || !expected.some((kind) => error instanceof kind)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
