/**
 * Tests the published packages: in every JavaScript runtime and compiler that they support, as the package that a
 * consumer gets. A bundle for a runtime is an ES module without imports that exports `run(input)`; input and result are
 * JSON.
 */
export { chromiumOptions, findChromium } from './chromium.ts';
export { ownCompiler } from './compilers.ts';
export { docComplaints } from './doc-comments.ts';
export {
  bundledSize,
  burdens,
  type Compilation,
  compilations,
  compile,
  lintPackage,
  type PackedPackage,
  packPackage,
} from './packed-package.ts';
export { type Ran, run } from './run.ts';
export { type Runtime, runtimes } from './runtimes.ts';
export { kilobytes, tableRows } from './readme-table.ts';
