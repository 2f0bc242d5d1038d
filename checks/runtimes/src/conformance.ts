/** Runs the checks of a package inside a runtime. It is bundled with them, so it uses nothing but the language. */

/** A check's title, and what rejects if the package breaks its promise. */
export type Checks<Input> = Readonly<Record<string, (input: Input) => Promise<void>>>;

/** Throws unless both are the same JSON. */
export const equal = (found: unknown, expected: unknown): void => {
  const left = JSON.stringify(found);
  const right = JSON.stringify(expected);
  if (left !== right) throw new Error(`expected ${right}, found ${left}`);
};

/** Runs all checks at once. Returns for each title what went wrong, or null. */
export const runChecks = async <Input>(checks: Checks<Input>, input: Input): Promise<Record<string, string | null>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(checks).map(async ([title, check]): Promise<[string, string | null]> => {
        try {
          await check(input);
          return [title, null];
        } catch (error) {
          return [title, error instanceof Error ? `${error.message} ${error.stack ?? ''}` : JSON.stringify(error)];
        }
      }),
    ),
  );
