/**
 * Runs one command of the operator, from its words to its exit code. `admin.ts` passes the words, settings and terminal
 * of its process; tests pass others.
 */
import { userInfo } from 'node:os';
import { CommanderError } from 'commander';
import { StoreRefused, StoreUnreachable } from '../base/failure.ts';
import { createLog } from '../base/log.ts';
import { ConfigError, readOperatorConfig, type Environment } from '../config.ts';
import { BackupError } from '../store/backup/records.ts';
import { StoreNotEmpty } from '../store/backup/write-records.ts';
import { operatorBots } from '../store/bots/bot-store.ts';
import { firstLook, UnfitStore } from '../store/admission/admit.ts';
import { createModerationStore } from '../store/moderation/moderation-store.ts';
import { createReportStore } from '../store/reports/report-store.ts';
import { operatorPosts } from '../store/posts/post-store.ts';
import { openStore } from '../redis/open-store.ts';
import { verifyBackup } from './backup-commands.ts';
import { createCommands } from './commands.ts';
import { createProgram, type CarryOut } from './program.ts';
import { CommandError, type Terminal } from './terminal.ts';

const storeWaitMs = 5_000;
/** An operator would rather wait for a busy store than begin a long command again. */
const deadlineMs = 10_000;
const expected = [CommandError, ConfigError, StoreUnreachable, StoreRefused, BackupError, StoreNotEmpty, UnfitStore];

/** In a container the user may have a number and no name. */
const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
};

/** Whether an error is about a file or a pipe: it exists, does not exist, is full, or nobody reads it. */
const isOfFile = (error: Error): boolean => 'syscall' in error && 'code' in error;

const sentence = (error: Error): string => {
  if (error instanceof StoreRefused) return `${error.message}. The command \`check\` finds what is damaged.`;
  if (!(error instanceof StoreUnreachable)) return error.message;
  const why = error.message.replace(/\.$/, '');
  return `The store cannot do this now (${why}). The command \`audit\` shows whether a change was made.`;
};

/** Where a command's output goes: its result, errors, and progress. */
export type Screen = Pick<Terminal, 'out' | 'progress'> & { readonly error: (text: string) => void };

/**
 * Runs a command, with the settings of this process by default. Returns the exit code: 0, 1 if it failed, 2 if it found
 * something, 3 if a backup has much less than an older one, or is not the newest. It throws only on a bug.
 */
export const runAdmin = async (words: readonly string[], screen: Screen, settings?: Environment): Promise<number> => {
  let exitCode = 0;
  const fail = (code: number): void => void (exitCode = code);
  const terminal = (): Terminal => {
    const { json = false, yes = false } = program.opts<{ json?: boolean; yes?: boolean }>();
    return { json, yes, out: screen.out, progress: screen.progress, warn: screen.error, fail };
  };
  const carryOut: CarryOut =
    (command) =>
    async (...args) => {
      const { warning, sudoUser, ...config } = readOperatorConfig(settings);
      const { redisUrls, redisTls: tls, redisKeyPrefix: keyPrefix, ...rules } = config;
      if (warning !== undefined) screen.error(warning);
      if (redisUrls.length === 0) throw new ConfigError('REDIS_URL is required');
      const store = openStore(redisUrls, createLog('silent'), { deadlineMs, tls, keyPrefix });
      try {
        if (!(await firstLook(store, { forMs: storeWaitMs })))
          throw new ConfigError(`the store at REDIS_URL does not answer: ${store.trouble() ?? 'it is silent'}`);
        const commands = createCommands({
          store,
          bots: operatorBots(store, rules.categories.former),
          moderation: createModerationStore(store),
          reports: createReportStore(store),
          posts: operatorPosts(store),
          operator: { name: program.opts<{ by?: string }>().by ?? sudoUser ?? userName(), command: words.join(' ') },
          ...rules,
          terminal: terminal(),
        });
        await command(commands)(...args);
      } finally {
        await store.close();
      }
    };
  const program = createProgram({ carryOut, verify: (file) => verifyBackup(terminal(), file) }, screen);
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof Error) || !(isOfFile(error) || expected.some((kind) => error instanceof kind))) throw error;
    screen.error(sentence(error));
    return 1;
  }
};
