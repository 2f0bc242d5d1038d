/** The installs of the last days, as a bot's hash counts them. Decision 0132 says why by days. */

/** How many days count: today, in UTC, and those before it. */
export const recentDays = 7;

const dayMs = 86_400_000;

/** The day of an instant: the number of days since 1970. */
export const dayOf = (atMs: number): number => Math.floor(atMs / dayMs);

/**
 * Sums the installs of the days that count. `stored` has them by day, the newest first: `<day>:<installs>`, joined by
 * commas; it may be of long ago, or of days to come if the store's clock went back.
 */
export const recentInstalls = (stored: string, today: number): number => {
  const oldest = today - recentDays + 1;
  // Of most bots, the newest day already does not count, or there is none.
  if (!(Number.parseInt(stored, 10) >= oldest)) return 0;
  let sum = 0;
  for (const entry of stored.split(',')) {
    const [day = 0, installs = 0] = entry.split(':').map(Number);
    if (day >= oldest && day <= today) sum += installs;
  }
  return sum;
};
