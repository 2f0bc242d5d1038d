/**
 * How `Retry-After` is read, by the server from its receivers and by the SDK from the server: header → milliseconds
 * from `nowMs`.
 */

/** 2026-11-21T12:00:00Z. */
export const nowMs = Date.UTC(2026, 10, 21, 12);

/** RFC 9110, 10.2.3: seconds, which some send with a fraction, or a date of 5.6.7. */
export const retryAfterCases: ReadonlyArray<readonly [header: string | undefined, ms: number | undefined]> = [
  ['0', 0],
  ['120', 120_000],
  [' 5 ', 5_000],
  ['1.5', 1_500],
  ['0.0001', 1],
  ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
  ['Saturday, 21-Nov-26 12:01:00 GMT', 60_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['-1', undefined],
  ['1.', undefined],
  ['1e3', undefined],
  ['1,5', undefined],
  ['99999999999999999999', undefined],
  ['soon', undefined],
  ['soon GMT', undefined],
  ['2026-11-21', undefined],
  ['Sat Nov 21 2026', undefined],
  ['', undefined],
  [undefined, undefined],
];

/** The date of C's `asctime`, which 5.6.7 calls obsolete. Receivers may be old, so the server reads it. */
export const obsoleteDateCases: typeof retryAfterCases = [
  ['Sat Nov 21 12:01:00 2026', 60_000],
  ['Tue Dec  1 12:00:00 2026', 864_000_000],
];
