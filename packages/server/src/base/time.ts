/** Time: the clock as a value that is passed in, its text, work that ends in time, and durations in settings. */
import { accepted, refused, type Parsed } from './parsed.ts';

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** The machine's clock. */
export const systemClock: Clock = () => Date.now();

/** ISO 8601, UTC, with milliseconds. */
export const timestamp = (ms: number): string => new Date(ms).toISOString();

/** Whether a text begins with a day that exists, such as `2026-02-28`. `Date.parse` reads 30 February as 2 March. */
export const isCalendarDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d/.test(text) && new Date(text.slice(0, 10)).getUTCDate() === Number(text.slice(8, 10));

/** Returns whether work ends in time; it goes on if it does not. */
export const isDoneWithin = async (ms: number, work: Promise<unknown> | undefined): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([Promise.resolve(work).then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
};

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Node's timers fire at once when asked to wait longer than this. */
const longestMs = 2 ** 31 - 1;

const isUnit = (text: string): text is keyof typeof unitMs => Object.hasOwn(unitMs, text);

/** The milliseconds of `1500ms`, `10s`, `2m` or `1h` in a setting: a whole number and a unit, at most 24 days. */
export const parseDuration = (text: string): Parsed<number> => {
  const [, count, unit = ''] = /^(\d{1,10})([a-z]{1,2})$/.exec(text) ?? [];
  if (!isUnit(unit)) return refused('must be a whole number and a unit, such as 1500ms, 10s, 2m or 1h');
  const ms = Number(count) * unitMs[unit];
  return ms <= longestMs ? accepted(ms) : refused('must be at most 24 days');
};
