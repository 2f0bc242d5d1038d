import { describe, expect, it } from 'vitest';
import { TlsSessions } from './tls-sessions.ts';

const session = (verifiedMs = 0, bytes = 1_000) => ({ session: Buffer.alloc(bytes), verifiedMs });

describe('TLS sessions', () => {
  it('are found again, each under its own origin, the newest in place of the one before', () => {
    const sessions = new TlsSessions({ maxBytes: 10_000, maxAgeMs: 1_000 });
    const [first, newer, other] = [session(), session(1), session(2)];
    sessions.set('https://a.test', first);
    sessions.set('https://b.test', other);
    sessions.set('https://a.test', newer);
    expect(sessions.get('https://a.test', 2)).toBe(newer);
    expect(sessions.get('https://b.test', 2)).toBe(other);
    expect(sessions.get('https://c.test', 2)).toBeUndefined();
  });

  it('are forgotten when the certificate was looked at too long ago', () => {
    const sessions = new TlsSessions({ maxBytes: 10_000, maxAgeMs: 1_000 });
    sessions.set('https://a.test', session(500));
    expect(sessions.get('https://a.test', 1_499)).toBeDefined();
    expect(sessions.get('https://a.test', 1_500)).toBeUndefined();
    expect(sessions.bytes).toBe(0);
  });

  it('never take more bytes than they may, and those not used for longest go first', () => {
    const sessions = new TlsSessions({ maxBytes: 5_000, maxAgeMs: 1_000 });
    for (let i = 0; i < 100; i += 1) {
      sessions.set(`https://${i}.test`, session());
      sessions.get('https://0.test', 0);
      expect(sessions.bytes).toBeLessThanOrEqual(5_000);
    }
    expect(sessions.get('https://0.test', 0)).toBeDefined();
    expect(sessions.get('https://99.test', 0)).toBeDefined();
    expect(sessions.get('https://1.test', 0)).toBeUndefined();
    for (let i = 0; i < 100; i += 1) sessions.delete(`https://${i}.test`);
    expect(sessions.bytes).toBe(0);
  });

  it('that are larger than all that may be kept are not kept', () => {
    const sessions = new TlsSessions({ maxBytes: 5_000, maxAgeMs: 1_000 });
    sessions.set('https://a.test', session(0, 6_000));
    expect(sessions.get('https://a.test', 0)).toBeUndefined();
    expect(sessions.bytes).toBe(0);
  });
});
