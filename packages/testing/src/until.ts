/** Waits for something to come true; a test that waits too long says what it waited for. */

/** The longest pause between two looks: a test that waits for seconds leaves the processors to what it waits for. */
const longestMs = 25;

/** Checks at once, and again after pauses that grow with the time waited, for at most `forMs`. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>, forMs = 120_000): Promise<void> => {
  const started = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - started;
    if (waitedMs > forMs) throw new Error(`waited ${forMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(longestMs, 2 + waitedMs / 20)));
  }
};
