/** The steps of «Rotate its password» in OPERATIONS.md, by its own commands: no request fails on the way. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { requireRedisCli } from '../../../../scripts/find-redis.mjs';
import { createLog } from '../../src/base/log.ts';
import { keys } from '../../src/store/keys.ts';
import { openStore } from '../../src/redis/open-store.ts';
import type { Store } from '../../src/redis/redis.ts';

const manual = readFileSync(join(import.meta.dirname, '../../../../docs/OPERATIONS.md'), 'utf8');
/**
 * The blocks that make the user, add the new password and try it, and remove the old one. That they outlast a restart
 * is tested in `deploy/test/walk.full.test.ts`: this Redis has no file.
 */
const [makeUser = '', addNew = '', removeOld = ''] = [
  ...manual.matchAll(/^```sh[^\n]*\n([^`]*acl setuser[^`]*)^```$/gm),
].map(([, commands = '']) => commands.replaceAll(/^.* config rewrite\n/gm, ''));

const redis = useStarted(startTestRedis);

const shell = (commands: string): string =>
  execFileSync('bash', ['--norc', '-euo', 'pipefail', '-c', commands.replaceAll('redis-cli', requireRedisCli())], {
    env: { PATH: process.env.PATH, REDIS_ADMIN_URL: redis.url },
    encoding: 'utf8',
  });
const open = (password: string): Store =>
  openStore([redis.url.replace('//', `//bot-directory:${encodeURIComponent(password)}@`)], createLog('silent'));
const use = (store: Store) => store.call((client) => client.hlen(keys.state));
const works = (store: Store) =>
  use(store).then(
    () => true,
    () => false,
  );

it('rotates the password of Redis without a failed request', async () => {
  expect(shell(makeUser)).toBe('OK\n');
  const old = open('change this password');
  const opened = [old];
  const failures: unknown[] = [];
  const ended = new AbortController();
  try {
    await until('the old password works', () => works(old));
    const calling = (async () => {
      while (!ended.signal.aborted) await use(old).catch((error: unknown) => failures.push(error));
    })();

    expect(shell(addNew)).toBe('OK\nPONG\n');
    const replaced = open('a-new-password');
    opened.push(replaced);
    await until('the new password works', () => works(replaced));
    expect(shell(removeOld)).toBe('OK\n');
    for (let i = 0; i < 100; i += 1) await use(replaced);
    ended.abort();
    await calling;
    expect(failures).toEqual([]);

    // A process that was forgotten: its next connection is refused, and it says so.
    shell('redis-cli -u "$REDIS_ADMIN_URL" client kill user bot-directory');
    await until('the old one is refused', () =>
      use(old).then(
        () => false,
        (error: unknown) => String(error).includes('WRONGPASS'),
      ),
    );
    await until('the new one is back', () => works(replaced));
  } finally {
    ended.abort();
    await Promise.all(opened.map((store) => store.close()));
  }
});
