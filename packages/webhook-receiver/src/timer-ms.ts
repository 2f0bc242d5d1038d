/** Time limits as timers take them. */

/** Caps a time limit at the longest that a timer can measure: with a longer one, Node's fires after a millisecond. */
export const timerMs = (ms: number): number => Math.min(ms, 2 ** 31 - 1);
