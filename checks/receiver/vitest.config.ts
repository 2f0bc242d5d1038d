import { suite } from '../../vitest.suite.ts';

export default suite();
