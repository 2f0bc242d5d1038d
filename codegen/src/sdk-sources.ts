/** Generates the SDK's two files from a contract: its shapes, inputs and problems, and its operations. Pure. */
import type { contract, loggedEventTypes, problem } from '@bot-directory/contract';
import { banner } from './banner.ts';
import { readOperation, sourceOf, typeNamesIn, typesOf } from './sdk-operation.ts';
import { problemShapes, sorted, type Shapes } from './shapes.ts';

/** What the SDK is generated from. */
export type SdkContract = {
  contract: typeof contract;
  problem: typeof problem;
  loggedEventTypes: typeof loggedEventTypes;
};

/** Makes `types.gen.ts` and `operations.gen.ts`, as text. */
export const makeSdkSources = (module: SdkContract): { types: string; operations: string } => {
  const shapes: Shapes = new Map();
  const operations = Object.entries(module.contract).map(([name, route]) => readOperation(name, route, shapes));
  problemShapes(module.problem, shapes);
  const imports = [...new Set(operations.flatMap(typeNamesIn))].sort().join(', ');
  const eventTypes = module.loggedEventTypes.map((type) => `'${type}'`).join(', ');
  return {
    types: [
      banner("The API's shapes, inputs and problems, from its contract."),
      ...sorted(shapes),
      ...operations.flatMap(typesOf),
    ].join('\n'),
    operations: [
      `${banner("The API's operations, from its contract. Each can be imported on its own; `createClient` binds them all.")}import { type Call, operation } from './call.ts';
import { earlierSuccess } from './earlier.ts';`,
      `import type { CallOptions, Connection } from './options.ts';`,
      `import type { Route } from './request.ts';`,
      `import type { ${imports} } from './types.gen.ts';\n`,
      `/** Event types that this version knows. */\nexport const eventTypes: readonly unknown[] = [${eventTypes}];\n`,
      ...operations.map(sourceOf),
    ].join('\n'),
  };
};
