import { expect, it } from 'vitest';
import { createTlsSessions } from './open-connection.ts';

it('finds the TLS session of an origin for a day after its certificate was verified', () => {
  let nowMs = 0;
  const hourMs = 3_600_000;
  const sessions = createTlsSessions(() => nowMs);
  sessions.set('https://a.test', Buffer.alloc(1_000));
  nowMs = 23 * hourMs;
  const first = sessions.get('https://a.test');
  expect(first).toBeDefined();
  expect(sessions.get('https://b.test')).toBeUndefined();
  // A session that came of a resumed one was verified no later.
  sessions.set('https://a.test', Buffer.alloc(1_000), first);
  nowMs = 24 * hourMs;
  expect(sessions.get('https://a.test')).toBeUndefined();
});
