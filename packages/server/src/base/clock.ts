/** The time, as a value that is passed in: milliseconds since the epoch. */
export type Clock = () => number;

/** The machine's clock. */
export const systemClock: Clock = () => Date.now();

/** ISO 8601, UTC, with milliseconds. */
export const timestamp = (ms: number): string => new Date(ms).toISOString();
