/** Time limits as timers take them. */

/** The time limit, or the longest that a timer can measure: with a longer one, Node's fires after a millisecond. */
export const timerMs = (ms: number): number => Math.min(ms, 2 ** 31 - 1);
