/** What the suites of all packages have in common. The `vitest.config.ts` of a package says what it adds. */
import { mergeConfig, type UserWorkspaceConfig } from 'vitest/config';

/** Returns the configuration of a package's suite. */
export const suite = (own: UserWorkspaceConfig = {}): UserWorkspaceConfig =>
  mergeConfig<UserWorkspaceConfig, UserWorkspaceConfig>(
    {
      test: {
        // A file starts servers of its own and shares only modules with others: to load them once a worker takes two
        // thirds of the time away.
        isolate: false,
        // A busy machine may take long, and `until` says earlier what it waited for. A test that needs more says why.
        testTimeout: 60_000,
        hookTimeout: 60_000,
      },
    },
    own,
  );
