/** Every suite in one run: `npx vitest run [path …]` at the root. `vitest.suite.ts` has what the tests are given. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';
import { alone } from './vitest.suite.ts';

/** The longest files, which start first, so that the other workers need not wait for one that started last. */
const longest = [
  'deploy/test/walk',
  'deploy/test/ways',
  'checks/pages/test/browser',
  'deploy/test/image',
  'checks/sdk/test/next',
  'packages/server/test/chaos',
  'checks/openapi/test/samples',
  'packages/server/test/outage',
  'packages/server/test/delivery',
  'packages/server/test/admin',
  'packages/server/test/scale',
  'packages/server',
  'packages/sdk',
  'deploy',
  'examples/verify-without-node',
  'packages/webhook-receiver',
  'checks',
  'scripts',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = longest.findIndex((path) => moduleId.startsWith(`${import.meta.dirname}/${path}`));
  return at === -1 ? longest.length : at;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    projects: [
      '{packages,checks,examples}/*/vitest.config.ts',
      '{bench,codegen,deploy,scripts}/vitest.config.ts',
      alone,
    ],
    // They mostly wait, so that two processors can run so many.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
  },
});
