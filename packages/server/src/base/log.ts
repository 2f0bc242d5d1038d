/** Structured logs: JSON lines, or readable ones on a terminal. One line per request and per delivery attempt. */
import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';

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
