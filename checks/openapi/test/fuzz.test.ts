/** Whatever is sent, the document describes the response, and it is never a 5xx. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDirectory, type Directory } from '@bot-directory/testing/directory';
import { fuzz } from '../src/fuzz.ts';

let directory: Directory;
beforeAll(async () => {
  // Every request must reach its operation, so there is no rate limit.
  directory = await startDirectory({ settings: { WRITE_RATE_LIMIT: '0' } });
});
afterAll(() => directory.stop());

// 5,000 requests, one after the other, to a server that shares a busy machine.
it('answers 5,000 requests as the document says', async () => {
  const { statuses, faults } = await fuzz(directory.baseUrl, { count: 5_000, seed: 1 });
  expect(faults.slice(0, 5)).toEqual([]);
  const sent = Object.values(statuses).reduce((sum, number) => sum + number, 0);
  expect(sent).toBe(5_000);
  for (const status of ['200', '400', '404', '415']) expect(statuses[status], status).toBeGreaterThan(50);
});
