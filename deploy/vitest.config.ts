import { suite } from '../vitest.suite.ts';

// Each concurrent test of a file has a machine of its own.
export default suite({ test: { maxConcurrency: 3 } });
