/** The operator's command line, in this process. delivery/pause-and-logs runs it as a process, as the operator does. */
import { expect } from 'vitest';
import { runAdmin } from './server.ts';

/** Runs commands against a store; each returns what it printed as JSON. `more`: further settings. */
export const operatorOf = (redisUrl: string, baseUrl?: string, more: Readonly<Record<string, string>> = {}) => {
  const settings = { REDIS_URL: redisUrl, ...(baseUrl === undefined ? {} : { BASE_URL: baseUrl }), ...more };
  /** Runs a command. Returns its code, and the texts on standard output and on standard error. */
  const carryOut = async (...args: string[]) => {
    const texts: { readonly text: string; readonly isError: boolean }[] = [];
    const out = (text: string): void => void texts.push({ text, isError: false });
    const error = (text: string): void => void texts.push({ text, isError: true });
    const code = await runAdmin(args, { out, error, progress: () => undefined }, settings);
    const said = (which: (isError: boolean) => boolean): string =>
      texts.flatMap(({ text, isError }) => (which(isError) ? [text] : [])).join('\n');
    return { code, out: said((isError) => !isError), error: said((isError) => isError), output: said(() => true) };
  };
  const attempt = async (...args: string[]): Promise<{ code: number; output: string }> => {
    const { code, output } = await carryOut(...args);
    return { code, output };
  };
  const run = async <T = unknown>(...args: string[]): Promise<T> => {
    const { code, out, output } = await carryOut('--json', '--yes', ...args);
    expect([0, 2], output).toContain(code);
    return JSON.parse(out) as T;
  };
  return { run, attempt, carryOut };
};
