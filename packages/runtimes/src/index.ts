/**
 * Runs one bundle in every JavaScript runtime that the published packages promise to work in. A bundle is an ES module
 * without imports that exports `run(input)`; input and result are JSON.
 */
export { chromiumOptions, findChromium } from './chromium.ts';
export { type Compiler, compilers } from './compilers.ts';
export { type Runtime, runtimes } from './runtimes.ts';
