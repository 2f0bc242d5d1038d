/**
 * The conformance file passes in every runtime. A runtime that this machine does not have is skipped; in CI it fails.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimes } from '@bot-directory/check-runtimes/runtimes';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permitted } from '@bot-directory/testing/needs';
import { scenarios } from './conformance/scenarios.ts';
import { startMisbehavingServer } from '../../../packages/sdk/test/support/misbehaving-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'bot-directory-conformance-'));
const bundle = join(folder, 'conformance.js');
let server: Awaited<ReturnType<typeof startMisbehavingServer>>;

beforeAll(async () => {
  server = await startMisbehavingServer(scenarios);
  // Neutral: anything that only one runtime has would stay an import, and fail in the others.
  const entry = join(import.meta.dirname, 'conformance/conformance.ts');
  await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    outfile: bundle,
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

describe.each(runtimes)('in $name', (runtime) => {
  it('the package keeps its promises', permitted(runtime.name, runtime.available), async () => {
    const results = await runtime.run(bundle, {
      origin: server.origin,
      run: encodeURIComponent(runtime.name.replaceAll(' ', '-')),
    });
    expect(Object.entries(results as object).filter(([, error]) => error !== null)).toEqual([]);
    expect(Object.keys(results as object).length).toBeGreaterThan(15);
  });
});
