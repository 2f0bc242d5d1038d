/** Durations as operators write them in settings. */
import { accepted, type Parsed, refused } from './parsed.ts';

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Node's timers fire at once when asked to wait longer than this. */
const longestMs = 2 ** 31 - 1;

const isUnit = (text: string): text is keyof typeof unitMs => Object.hasOwn(unitMs, text);

/** The milliseconds of `1500ms`, `10s`, `2m` or `1h`: a whole number and a unit, at most 24 days. */
export function parseDuration(text: string): Parsed<number> {
  const [, count, unit = ''] = /^(\d{1,10})([a-z]{1,2})$/.exec(text) ?? [];
  if (!isUnit(unit)) return refused('A duration is a whole number and a unit: 1500ms, 10s, 2m or 1h.');
  const ms = Number(count) * unitMs[unit];
  return ms <= longestMs ? accepted(ms) : refused('A duration is at most 24 days.');
}
