/** A Redis with a configuration file of its own, as the manual wants it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { startChild, stopChild } from '../../../scripts/child.mjs';
import { requireRedis, requireRedisCli } from '../../../scripts/find-redis.mjs';
import { freePort } from '../../../scripts/port.mjs';
import { read } from './files.ts';

/** `start` starts it from its file again; `kill` is SIGKILL. */
export type Redis = {
  readonly url: string;
  readonly start: () => Promise<void>;
  readonly kill: () => Promise<void>;
};

/** Starts one in a new folder. `password`: of its user `default`. */
export const redisWith = async (folder: string, { password = '' } = {}): Promise<Redis> => {
  mkdirSync(folder);
  const port = await freePort();
  const file = join(folder, 'redis.conf');
  const settings = /```\n(appendonly yes[^`]*)```/.exec(read('docs/OPERATIONS.md'))?.[1] ?? '';
  const own = `dir ${folder}\nport ${port}\nbind 127.0.0.1\n${password === '' ? '' : `requirepass ${password}\n`}`;
  writeFileSync(file, own + settings.replace('everysec', 'always'));
  let child: ReturnType<typeof startChild> | undefined;
  const url = `redis://${password === '' ? '' : `default:${password}@`}127.0.0.1:${port}`;
  const start = async (): Promise<void> => {
    child = startChild(requireRedis(), [file], { stdio: 'ignore' });
    await vi.waitFor(() => execFileSync(requireRedisCli(), ['-e', '-u', url, 'ping'], { stdio: 'ignore' }), {
      timeout: 120_000,
    });
  };
  await start();
  return {
    url,
    start,
    kill: async () => {
      if (child !== undefined) await stopChild(child, { signal: 'SIGKILL' });
    },
  };
};
