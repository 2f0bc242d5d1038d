/** The built service as a child process, for what only a process can show: kills, signals, start-up. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasEnded, startChild } from '../../../scripts/child.mjs';
import { freePort } from '../../../scripts/port.mjs';
import { program } from '../../../scripts/programs.mjs';
import { callers } from './service.ts';
import { until } from './until.ts';

export type ServerProcess = Awaited<ReturnType<typeof startProcess>>;

/**
 * `openFiles`: the most files and sockets that it may have open. Reading its own modules takes about a hundred.
 * `resolvConf`: a file that it alone has as /etc/resolv.conf: see `needsMounts`.
 * `wrongByMs`: how wrong its own clock is.
 */
export type ProcessOptions = {
  readonly openFiles?: number;
  readonly resolvConf?: string;
  readonly wrongByMs?: number;
};

/** Runs the command that follows with another /etc/resolv.conf. */
const withResolvConf = (file: string): readonly string[] => [
  program('unshare'),
  '--mount',
  'sh',
  '-c',
  'mount --bind "$0" /etc/resolv.conf && exec "$@"',
  file,
];

/** Has Node run with another clock than the machine's. */
const withClock = (wrongByMs: number): readonly string[] => {
  const program = `const { now } = Date;
    globalThis.Date = class extends Date {
      constructor(...given) { given.length === 0 ? super(now() + ${wrongByMs}) : super(...given); }
      static now() { return now() + ${wrongByMs}; }
    };`;
  return ['--import', `data:text/javascript,${encodeURIComponent(program)}`];
};

const dist = fileURLToPath(new URL('../../server/dist/', import.meta.url));

/** Runs `dist/<name>` with these settings alone, until it exits. */
export const runToEnd = async (
  name: 'main.js' | 'admin.js',
  settings: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number | null; output: string }> => {
  const child = spawn(process.execPath, [`${dist}${name}`, ...args], { env: { PATH: process.env.PATH, ...settings } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // 'close', not 'exit': its last output may come after the exit.
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
};

/** Starts it and waits until it is healthy; throws if it ends before. End it with `stop` or `kill`. */
export const startProcess = async (settings: Record<string, string>, options: ProcessOptions = {}) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawnProcess({ HOST: '127.0.0.1', BASE_URL: url, ...settings, PORT: String(port) }, options);
  const healthy = (): Promise<boolean> =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('the process is healthy', async () => child.hasExited() || (await healthy()));
  if (child.hasExited()) throw new Error(`It ended with ${await child.ended()}: ${child.output()}`);
  return { url, ...callers(url), ...child };
};

/** Starts it without waiting. */
export const spawnProcess = (
  settings: Record<string, string>,
  { openFiles, resolvConf, wrongByMs = 0 }: ProcessOptions = {},
) => {
  const [command, ...args] = [
    ...(resolvConf === undefined ? [] : withResolvConf(resolvConf)),
    ...(openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$@"`]),
    process.execPath,
    ...(wrongByMs === 0 ? [] : withClock(wrongByMs)),
    join(dist, 'main.js'),
  ];
  // A test that fails before it stops the process must not leave it behind.
  const child = startChild(command, args, {
    stdio: 'pipe',
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', SHUTDOWN_DELAY: '0s', ...settings },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // Not 'exit', after which its last output may come.
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    pid: child.pid ?? 0,
    hasExited: (): boolean => hasEnded(child),
    /** Resolves with its exit code when it has ended by itself, and all of its output is there. */
    ended: async (): Promise<number | null> => (await closed)[0],
    /** All that it logged. */
    output: (): string => output,
    kill: async (): Promise<void> => {
      child.kill('SIGKILL');
      await closed;
    },
    /** SIGTERM; resolves with its exit code. */
    stop: async (): Promise<number | null> => {
      child.kill('SIGTERM');
      return (await closed)[0];
    },
  };
};
