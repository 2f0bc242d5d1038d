/**
 * Child processes that end with this one, whatever ends it: Ctrl-C, a crash or a kill -9.
 *
 * Each leads its own process group, so that a Ctrl-C reaches it only through us, in our order. A shell that waits for
 * our end of a pipe to close ends the group if we no longer can.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, stdio?: 'inherit' | 'ignore' | 'pipe' }} ChildOptions */
/** @typedef {ChildOptions & { niceness?: number }} NiceOptions `niceness`: as of nice(1), from 0 to 19. */

const endGroupAfterUs = 'read -r _; kill -s TERM -- "-$1" 2>/dev/null';

/**
 * Starts a child without standard input. Its output goes where ours goes, unless `stdio` says otherwise.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {ChildOptions} [options]
 */
export const startChild = (command, args, { stdio = 'inherit', ...options } = {}) => {
  const child = spawn(command, args, { ...options, stdio: ['ignore', stdio, stdio], detached: true });
  if (child.pid === undefined) return child;
  const watchdog = spawn('sh', ['-c', endGroupAfterUs, 'watchdog', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.unref();
  child.once('exit', () => watchdog.kill('SIGKILL'));
  return child;
};

/**
 * Runs a command to its end. Resolves to its exit code, or 1 if a signal ended it. Throws if there is no such command.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {ChildOptions} [options]
 * @returns {Promise<number>}
 */
export const run = async (command, args, options) => {
  const [code] = await once(startChild(command, args, options), 'exit');
  return code ?? 1;
};

/**
 * @param {number} pid
 * @param {number} niceness
 */
const makeNice = (pid, niceness) => {
  setPriority(pid, niceness);
  try {
    // A child leads a session, and Linux weighs sessions before the processes in them.
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // Not Linux, or one that does not group by session.
  }
};

/**
 * Runs a command to its end, next to others. Resolves to its exit code and its output.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NiceOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export const runForOutput = async (command, args, { niceness = 0, ...options } = {}) => {
  const child = startChild(command, args, { ...options, stdio: 'pipe' });
  if (niceness > 0 && child.pid !== undefined) makeNice(child.pid, niceness);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  // 'close', not 'exit': the last output may come after the exit.
  const [code] = await once(child, 'close');
  return { code: code ?? 1, output };
};

/** Whether the user wants to see what programs say. npm keeps a `--verbose` that stands before `--` for itself. */
const isVerbose = process.argv.includes('--verbose') || process.env.npm_config_loglevel === 'verbose';

/**
 * Runs a command to its end. Resolves to its exit code. What it prints is shown if it fails, or with `--verbose`.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {ChildOptions} [options]
 * @returns {Promise<number>}
 */
export const runQuietly = async (command, args, options) => {
  if (isVerbose) return run(command, args, options);
  const { code, output } = await runForOutput(command, args, options);
  if (code !== 0) console.error(`\n${output}`);
  return code;
};

/** @param {ChildProcess} child */
export const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/**
 * Asks a child and its group to end, and kills them after `graceMs`.
 * @param {ChildProcess} child
 * @param {{ signal?: 'SIGTERM' | 'SIGKILL', graceMs?: number }} [options]
 */
export const stopChild = async (child, { signal = 'SIGTERM', graceMs = 15_000 } = {}) => {
  if (child.pid === undefined || hasEnded(child)) return;
  const group = -child.pid;
  const ended = once(child, 'exit');
  process.kill(group, signal);
  const impatience = setTimeout(() => process.kill(group, 'SIGKILL'), graceMs);
  await ended;
  clearTimeout(impatience);
};
