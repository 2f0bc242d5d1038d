/** The operator's command line, run as the operator runs it: the built program, in a process of its own. */
import { expect } from 'vitest';
import { runToEnd } from './process.ts';

/** Runs commands against a store; each gives what it printed as JSON. */
export const operatorOf = (redisUrl: string, baseUrl?: string) => {
  const settings = { REDIS_URL: redisUrl, ...(baseUrl === undefined ? {} : { BASE_URL: baseUrl }) };
  const attempt = (...args: string[]) => runToEnd('admin.js', settings, args);
  const run = async <T = unknown>(...args: string[]): Promise<T> => {
    const { code, output } = await attempt('--json', '--yes', ...args);
    expect([0, 2], output).toContain(code);
    return JSON.parse(output) as T;
  };
  return { run, attempt };
};
