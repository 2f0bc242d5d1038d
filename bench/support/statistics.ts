/** Figures of many rounds. */

/** Returns the value below which the share `q` (0 … 1) of all values lies. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};

/** The value in the middle. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Milliseconds on a clock that all processes of this machine share. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
