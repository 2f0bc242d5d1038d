/** Structured logs: JSON lines, or readable ones on a terminal. One line per request and per delivery attempt. */
import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Clock } from './clock.ts';

export type Log = Logger;
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** A logger to standard output. */
export const createLog = (level: LogLevel): Log => {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return process.stdout.isTTY ? pino(options, pretty({ colorize: true, singleLine: true, sync: true })) : pino(options);
};

/** `info` for so many lines a second, then `debug`: successes are logged unless they would flood the log. */
export const levelAtRate = (perSecond: number, clock: Clock): (() => 'info' | 'debug') => {
  let [second, lines] = [0, 0];
  return () => {
    const now = Math.floor(clock() / 1_000);
    if (now !== second) [second, lines] = [now, 0];
    return (lines += 1) <= perSecond ? 'info' : 'debug';
  };
};
