import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';

/** Folders whose files take longest: they start first, so that no worker waits for the last of them. */
const longest = ['chaos', 'outage', 'delivery', 'admin', 'scale'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      longest.some((folder) => moduleId.includes(`/test/${folder}/`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    // Every file starts servers of its own and shares nothing but modules: to load them once a worker takes two thirds
    // of the suite's time away.
    isolate: false,
    // They mostly wait, so that two processors can run so many.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // No test has a limit of its own: how long its work takes is the machine's affair, and `until`, which gives up far
    // earlier, says what it waited for.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
