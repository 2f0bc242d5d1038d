/** Runs a program and collects what it prints. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** The output of a finished program. */
export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end; an exit code never rejects. */
export const run = async (
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> => {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, closed] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: closed[0] as number | null, stdout, stderr };
};
