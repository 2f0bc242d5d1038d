/** Anything that stops a command from doing its work is one sentence on standard error, and an exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentsOf } from '@bot-directory/testing/contents';
import { monitor } from '@bot-directory/testing/monitor';
import { operatorOf } from '@bot-directory/testing/operator';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';
import { freePort } from '../../../../scripts/port.mjs';

const program = fileURLToPath(new URL('../../dist/admin.js', import.meta.url));

let redis: Redis;
let url: string;
const service = useStarted(startService);
beforeAll(async () => {
  url = service.redis?.url ?? '';
  redis = new Redis(url);
  await service.publish('Alpha');
});
afterAll(() => {
  redis.disconnect();
});

/** Runs a command in a process of its own, as the operator does. `out`: the file that gets its output. */
const run = async (
  redisUrl: string,
  words: readonly string[],
  out: string,
): Promise<[code: unknown, error: string]> => {
  const file = openSync(out, 'w');
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env.PATH, REDIS_URL: redisUrl },
    stdio: ['ignore', file, 'pipe'],
  });
  let error = '';
  child.stderr?.on('data', (chunk: Buffer) => (error += chunk.toString()));
  const [code] = (await once(child, 'close')) as [unknown];
  closeSync(file);
  return [code, error];
};

/** Commands of every kind: they read, change a bot, change a rule, and read or write the whole store. */
const commands = [
  ['reports'],
  ['hide', 'alpha'],
  ['block', 'words', 'casino'],
  ['submissions', 'off'],
  ['export'],
  ['check'],
  ['rebuild'],
];

describe('a command', () => {
  it('to a store that wants a password says so, and nothing else', async () => {
    const locked = await startTestRedis();
    const keeper = new Redis(locked.url);
    await keeper.config('SET', 'requirepass', 'secret');
    try {
      const said = /^the store at REDIS_URL does not answer: NOAUTH [^\n]*\n$/;
      expect(await run(locked.url, ['audit'], '/dev/null')).toEqual([1, expect.stringMatching(said)]);
    } finally {
      keeper.disconnect();
      await locked.stop();
    }
  });

  it('says why a store cannot be reached, whichever command it is', async () => {
    const nowhere = operatorOf(`redis://127.0.0.1:${await freePort()}`);
    const answers = await Promise.all(commands.map((words) => nowhere.attempt(...words)));
    const said = /^the store at REDIS_URL does not answer: .*ECONNREFUSED/;
    for (const answer of answers) expect(answer).toEqual({ code: 1, output: expect.stringMatching(said) });
  });

  it.each(commands.filter(([name]) => !['reports', 'export', 'check'].includes(name ?? '')))(
    '%s %s that a store refuses is one sentence, and changes nothing',
    async (...words) => {
      const before = await contentsOf(redis);
      await redis.config('SET', 'min-replicas-to-write', '1');
      const { code, output } = await operatorOf(url, service.url).attempt(...words);
      await redis.config('SET', 'min-replicas-to-write', '0');
      expect([code, output]).toEqual([1, expect.stringMatching(/^The store cannot do this now \(NOREPLICAS.*\.$/)]);
      expect(await contentsOf(redis)).toEqual(before);
    },
  );

  // What takes away works on a full store, see full-store.test.ts; a rebuild writes what is missing.
  it('rebuild on a full store is one sentence', async () => {
    await redis.del('bots:{directory}:slugs');
    await redis.config('SET', 'maxmemory', '1');
    const { code, output } = await operatorOf(url, service.url).attempt('rebuild');
    await redis.config('SET', 'maxmemory', '0');
    expect([code, output]).toEqual([1, expect.stringMatching(/^The store cannot do this now \(OOM.*\.$/)]);
    expect(await operatorOf(url, service.url).attempt('rebuild')).toMatchObject({ code: 0 });
  });

  it('succeeds although the store is busy for more than a second in the middle', async () => {
    const pid = service.redis?.pid ?? 0;
    let busy: NodeJS.Timeout | undefined;
    const end = await monitor(url, (command) => {
      if (command !== 'zcard' || busy !== undefined) return;
      process.kill(pid, 'SIGSTOP');
      busy = setTimeout(() => process.kill(pid, 'SIGCONT'), 1_500);
    });
    expect(await operatorOf(url).run('check')).toEqual([]);
    expect(busy).toBeDefined();
    end();
  });

  it('on a damaged store fails with one sentence, which names the command that finds the damage', async () => {
    await redis.rename('bots:{directory}:bots', 'kept');
    await redis.set('bots:{directory}:bots', 'x');
    try {
      const { code, output } = await operatorOf(url).attempt('bots');
      expect([code, output]).toEqual([
        1,
        expect.stringMatching(/^Redis: WRONGTYPE .* `check` finds what is damaged\.$/),
      ]);
    } finally {
      await redis.rename('kept', 'bots:{directory}:bots');
    }
  });

  it.each([[['bots']], [['--json', 'audit']], [['export']], [['check']]])(
    'whose output goes to a full disk fails: %s',
    async (words) => {
      expect(await run(url, words, '/dev/full')).toEqual([1, expect.stringMatching(/^ENOSPC: [^\n]*\n$/)]);
    },
  );
});
