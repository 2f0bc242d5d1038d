/** A subscriber as a person runs it: a separate process that prints where it listens and what it received. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** Starts `main` with these settings, and waits until it listens. */
export const startSubscriber = async (main: string, settings: Record<string, string>) => {
  const env = { PATH: process.env.PATH, PORT: '0', ...settings };
  const child = spawn(process.execPath, ['--import', tsx, main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  const listening = new Promise<string>((resolve, reject) => {
    output.on('line', (line) => {
      const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
      if (url === undefined) lines.push(line);
      else resolve(url);
    });
    child.once('exit', () => reject(new Error('the subscriber ended before it listened')));
  });
  return {
    url: await listening,
    /** The lines it has printed. */
    lines,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
};
