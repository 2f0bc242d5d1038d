/** Waits for something to come true; a test that waits too long says what it waited for. */

/** Asks again every few milliseconds, at most `forMs`. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>, forMs = 15_000): Promise<void> => {
  const end = performance.now() + forMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited ${forMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
