/** A Redis whose name cannot be resolved is reported as that, in the log and by every command. */
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { until } from '@bot-directory/testing/until';
import { StoreUnreachable } from '../../src/base/failure.ts';
import { openStore } from '../../src/redis/open-store.ts';

it('says that the name of Redis could not be resolved', async () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  // A label of more than 63 characters: no name server is asked for it.
  const store = openStore([`redis://${'x'.repeat(64)}.test:6379`], log);
  try {
    await until('it is logged', () => lines.length > 0);
    expect(lines[0]).toContain('the name of Redis could not be resolved: getaddrinfo ENOTFOUND');
    const refused = store.call((redis) => redis.ping());
    await expect(refused).rejects.toThrow(StoreUnreachable);
    await expect(refused).rejects.toThrow('the name of Redis could not be resolved');
  } finally {
    await store.close();
  }
});
