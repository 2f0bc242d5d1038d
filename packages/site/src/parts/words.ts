/** How values are written: English, UTC, the same for every reader. */

const numbers = new Intl.NumberFormat('en');
const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const times = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** Writes a number: `1,234`. */
export const number = (value: number): string => numbers.format(value);

/** Writes a count: `1 bot`, `1,234 bots`. */
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`;

/** Writes the date of an ISO 8601 instant: `21 Nov 2026`. */
export const date = (iso: string): string => shortMonth(dates.format(new Date(iso)));

/** Writes an ISO 8601 instant: `21 Nov 2026, 16:47 UTC`. */
export const time = (iso: string): string => `${shortMonth(times.format(new Date(iso)))} UTC`;

/** Shortens September, the only month that British English does not abbreviate to three letters. */
const shortMonth = (text: string): string => text.replace('Sept', 'Sep');

const units = [
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Writes a duration: `5 s`, `2 min`, `1 h`. */
export const duration = (ms: number): string => {
  const [size, unit] = units.find(([unitMs]) => ms >= unitMs) ?? [1, 'ms'];
  return `${number(Math.round((ms / size) * 10) / 10)} ${unit}`;
};

/** Writes how long to wait: `in 5 seconds`, `in 2 minutes`. */
export const wait = (seconds: number): string =>
  seconds < 120 ? `in ${count(seconds, 'second')}` : `in ${count(Math.ceil(seconds / 60), 'minute')}`;

/** Returns the handle in a post's URL; `undefined` for `/i/status/…`, the address of a post without its author. */
export const handleOf = (postUrl: string): string | undefined =>
  /^https:\/\/[^/]+\/(?!i\/)([^/]+)\//i.exec(postUrl)?.[1];

/** Whether two URLs are of the same post: by the number at the end, since the handle in one may be any. */
export const isSamePost = (one: string | null, other: string): boolean =>
  one !== null && one.split('/').pop() === other.split('/').pop();

/** Returns the host of an origin. */
export const hostOf = (origin: string): string => new URL(origin).host;

/** Writes whose post it is: `@ada’s post`, or `A post`. */
export const postName = (postUrl: string): string => {
  const handle = handleOf(postUrl);
  return handle === undefined ? 'A post' : `@${handle}’s post`;
};

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Splits a text into characters as readers count them: an emoji of several code points is one. */
export const graphemesOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Cuts a text to `longest` UTF-16 units, between characters. */
export const cutTo = (text: string, longest: number): string =>
  text.length <= longest ? text : text.slice(0, graphemes.segment(text).containing(longest)?.index).trimEnd();

/** Reasons of a report whose identifier says too little. */
const reasonTexts: Readonly<Record<string, string>> = {
  correction: 'Outdated or wrong',
  'my-own': 'I made this and want it removed',
};

/** Writes a reason of a report, which is an identifier in the API, as the form offers it. */
export const reasonText = (reason: string): string => {
  const words = reason.replaceAll(/[_-]/g, ' ');
  return reasonTexts[reason] ?? words.charAt(0).toUpperCase() + words.slice(1);
};
