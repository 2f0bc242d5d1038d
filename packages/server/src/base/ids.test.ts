import fc from 'fast-check';
import { isValid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { createIds, eventIdAtMs, firstEventIdAt } from './ids.ts';

describe('ids', () => {
  it('are unique and sort in the order in which they were made, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { maxLength: 200 }), (times) => {
        let nowMs = 0;
        const ids = createIds(() => 1_800_000_000_000 + nowMs);
        const made = times.map((time) => {
          nowMs = time;
          return ids.event();
        });
        expect([...new Set(made)].sort()).toEqual(made);
        expect(made.every((id) => isValid(id.slice('evt_'.length)))).toBe(true);
      }),
    );
  });

  it('contain the time at which they were made', () => {
    const madeAtMs = 1_800_000_000_123;
    const id = createIds(() => madeAtMs).event();
    expect(eventIdAtMs(id)).toBe(madeAtMs);
    expect(id > firstEventIdAt(madeAtMs) && id < firstEventIdAt(madeAtMs + 1)).toBe(true);
  });

  it('made apart differ in the same millisecond', () => {
    const make = (): string => createIds(() => 1_800_000_000_000).event();
    expect(make()).not.toBe(make());
  });
});
