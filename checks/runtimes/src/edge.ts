/** The edge-runtime: a VM in this process with web APIs and no Node. */
import { EdgeVM } from '@edge-runtime/vm';
import { transform } from 'esbuild';
import { readFile } from 'node:fs/promises';

/** Runs the bundle in a VM of its own. */
export const inEdge = async (bundle: string, input: unknown): Promise<unknown> => {
  const { code } = await transform(await readFile(bundle, 'utf8'), { format: 'iife', globalName: 'bundle' });
  const vm = new EdgeVM();
  vm.evaluate(code);
  const text = await vm.evaluate<Promise<string>>(
    `bundle.run(${JSON.stringify(input)}).then((result) => JSON.stringify(result))`,
  );
  return JSON.parse(text) as unknown;
};
