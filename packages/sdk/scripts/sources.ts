/** Makes the two generated files from a contract: its shapes, inputs and problems, and its operations. Pure. */
import type { contract, problem } from '@bot-directory/contract';
import { readOperation, sourceOf, typeNamesIn, typesOf } from './operation.ts';
import { eventTypesIn, problemShapes, type Shapes } from './shapes.ts';

const banner = (text: string) => `/** ${text}\n * Written by scripts/generate.ts; do not edit. */\n`;

/** `types.gen.ts` and `operations.gen.ts`, as text. */
export const makeSources = (module: {
  contract: typeof contract;
  problem: typeof problem;
}): { types: string; operations: string } => {
  const shapes: Shapes = new Map();
  const operations = Object.entries(module.contract).map(([name, route]) => readOperation(name, route, shapes));
  problemShapes(module.problem, shapes);
  const named = [...shapes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  const imports = [...new Set(operations.flatMap(typeNamesIn))]
    .sort()
    .map((name) => `  ${name},\n`)
    .join('');
  const eventTypes = eventTypesIn(module.contract.listEvents.responses[200])
    .map((type) => `'${type}'`)
    .join(', ');
  return {
    types: [
      banner("The API's shapes, inputs and problems, from its contract."),
      ...named,
      ...operations.flatMap(typesOf),
    ].join('\n'),
    operations: [
      `${banner("The API's operations, from its contract. Each can be imported on its own; `createClient` binds them all.")}import { type Call, call } from './call.ts';`,
      `import type { CallOptions, Connection } from './options.ts';`,
      `import type { Route } from './request.ts';`,
      `import type {\n${imports}} from './types.gen.ts';\n`,
      `/** Event types that this version knows. */\nexport const eventTypes: readonly unknown[] = [${eventTypes}];\n`,
      ...operations.map(sourceOf),
    ].join('\n'),
  };
};
