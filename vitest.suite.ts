/** What the suites of all packages have in common. The `vitest.config.ts` of a package says what it adds. */
import { configDefaults, mergeConfig, type UserWorkspaceConfig } from 'vitest/config';

const merged = mergeConfig<UserWorkspaceConfig, UserWorkspaceConfig>;
const common: UserWorkspaceConfig = {
  test: {
    // A file starts servers of its own and shares only modules with others: loading those once per worker saves two
    // thirds of the time.
    isolate: false,
    // A busy machine may take long, and `until` says earlier what it waited for. A test that needs more says why.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
};
const aloneFiles = '**/*.alone.test.ts';

/** Returns the configuration of a package's suite. */
export const suite = (own: UserWorkspaceConfig = {}): UserWorkspaceConfig =>
  merged(
    merged(common, { test: { exclude: [...configDefaults.exclude, aloneFiles], sequence: { groupOrder: 1 } } }),
    own,
  );

/**
 * The tests that load the machine, or compare what some get with what others take, or notice what others do to the
 * network. They run one by one before the others, so that no other test makes a store late. They mostly wait, so
 * `npm test` runs its checks at the same time.
 */
export const alone = merged(common, {
  test: { name: 'alone', include: [aloneFiles], maxWorkers: 1, sequence: { groupOrder: 0 } },
});
