/** Dates as HTTP writes them. */

const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const time = '\\d{2}:\\d{2}:\\d{2}';
const today = new RegExp(`^${day}, (\\d{2}) ${month} \\d{4} ${time} GMT$`);
const rfc850 = new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d{2})-${month}-\\d{2} ${time} GMT$`);
const asctime = new RegExp(`^${day} ${month} ([ \\d]\\d) ${time} \\d{4}$`);

/**
 * Milliseconds since the epoch of a date in HTTP (RFC 9110 §5.6.7), in the current format or in one of the two obsolete
 * ones that a recipient must still accept. `undefined` for anything else, even if `Date.parse` would accept it.
 */
export const parseHttpDate = (text: string): number | undefined => {
  const old = asctime.exec(text);
  const [, dayOfMonth] = old ?? today.exec(text) ?? rfc850.exec(text) ?? [];
  const ms = Date.parse(old === null ? text : `${text} GMT`);
  // `Date.parse` reads 30 February as 2 March.
  return new Date(ms).getUTCDate() === Number(dayOfMonth) ? ms : undefined;
};
