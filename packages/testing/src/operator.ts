/** The operator's command line, in this process. delivery/pause-and-logs runs it as a process, as the operator does. */
import { expect } from 'vitest';
import { runAdmin } from './server.ts';

/** Runs commands against a store; each returns what it printed as JSON. */
export const operatorOf = (redisUrl: string, baseUrl?: string) => {
  const settings = { REDIS_URL: redisUrl, ...(baseUrl === undefined ? {} : { BASE_URL: baseUrl }) };
  const attempt = async (...args: string[]): Promise<{ code: number; output: string }> => {
    const lines: string[] = [];
    const print = (text: string): void => void lines.push(text);
    const code = await runAdmin(args, { out: print, error: print, progress: () => undefined }, settings);
    return { code, output: lines.join('\n') };
  };
  const run = async <T = unknown>(...args: string[]): Promise<T> => {
    const { code, output } = await attempt('--json', '--yes', ...args);
    expect([0, 2], output).toContain(code);
    return JSON.parse(output) as T;
  };
  return { run, attempt };
};
