/**
 * Structured logs: JSON lines, or readable ones on a terminal. One line per request and per delivery attempt. A log
 * that cannot be written, because its disk is full or nobody reads the pipe, loses lines and nothing else: it never
 * blocks the process, never ends it, and never delays its exit.
 */
import { fstatSync, writeSync } from 'node:fs';
import { pino, type Logger } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Clock } from './time.ts';

export type Log = Logger;
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** While the reader is slow, lines wait in memory, up to this many bytes. */
const maxWaitingBytes = 1_048_576;

let dropped = 0;

/** How many lines this process could not write. */
export const droppedLines = (): number => dropped;

/** Makes a logger to standard output. */
export const createLog = (level: LogLevel): Log => {
  let unreported = 0;
  const lose = (): void => {
    dropped += 1;
    unreported += 1;
  };
  const write = isTerminal() ? writePretty(lose) : isPipe() ? writePipe(lose) : writeFile(lose);
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label: string) => ({ level: label }) },
    },
    {
      write: (line: string) => {
        const report = unreported === 0 ? '' : droppedLine(unreported);
        if (write(report + line) && report !== '') unreported = 0;
      },
    },
  );
};

/** Writes a line, after a report of lost lines if there is one, and returns whether it could. */
type Write = (lines: string) => boolean;

const isTerminal = (): boolean => process.stdout.isTTY;

/** A pipe or a socket, such as the journal's. Writing to it may have to wait for its reader. */
const isPipe = (): boolean => {
  try {
    const kind = fstatSync(1);
    return kind.isFIFO() || kind.isSocket();
  } catch {
    return false;
  }
};

const droppedLine = (lines: number): string =>
  `{"level":"warn","time":"${new Date().toISOString()}","lines":${lines},"msg":"log lines were dropped"}\n`;

const writePretty = (lose: () => void): Write => {
  const format = prettyFactory({ colorize: true, singleLine: true });
  const write = writePipe(lose);
  return (lines) => write(lines.trimEnd().split('\n').map(format).join(''));
};

/** Node never blocks on a pipe: what its reader does not take waits in memory, and is lost when the process exits. */
const writePipe = (lose: () => void): Write => {
  const { stdout } = process;
  // Without a listener, a reader that leaves would end the process. A process needs one, however many logs it has.
  if (stdout.listenerCount('error', ignore) === 0) stdout.on('error', ignore);
  const onWritten = (error?: Error | null): void => {
    if (error) lose();
  };
  return (lines) => {
    const hasRoom = stdout.writableLength <= maxWaitingBytes;
    if (hasRoom) stdout.write(lines, onWritten);
    else lose();
    return hasRoom;
  };
};

const ignore = (): void => undefined;

/** A full disk may take the beginning of a line. The next line then starts on a line of its own. */
const writeFile = (lose: () => void): Write => {
  let isBroken = false;
  return (lines) => {
    const bytes = Buffer.from(isBroken ? `\n${lines}` : lines);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(1, bytes, written);
      isBroken = false;
      return true;
    } catch {
      isBroken ||= written > 0;
      lose();
      return false;
    }
  };
};

/** Gives `info` for so many lines a second, then `debug`: successes are logged unless they would flood the log. */
export const levelAtRate = (perSecond: number, clock: Clock): (() => 'info' | 'debug') => {
  let second = 0;
  let lines = 0;
  return () => {
    const now = Math.floor(clock() / 1_000);
    if (now !== second) [second, lines] = [now, 0];
    return (lines += 1) <= perSecond ? 'info' : 'debug';
  };
};
