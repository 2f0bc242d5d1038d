/** Cycles of imports of which one is dynamic: `import/no-cycle` follows only the static ones. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const statement = /^(?:import|export)\b(?!\s+type\b)([^'";]*?\bfrom\s*)?\s*'(\.[^']+)'/gm;
const onlyTypes = /^\s*\{(?:\s*type\s[^,}]+,?)+\s*\}\s*from\s*$/;
const call = /(?<!typeof |\{)\bimport\(\s*'(\.[^']+)'/g;

/** Returns the files of the project that a file imports, but for those of which it needs types alone. */
const readImports = (path) => {
  const text = readFileSync(path, 'utf8');
  const named = [...text.matchAll(statement)].filter(([, clause = '']) => !onlyTypes.test(clause));
  return [...named.map(([, , specifier]) => specifier), ...[...text.matchAll(call)].map(([, specifier]) => specifier)]
    .map((specifier) => resolve(dirname(path), specifier))
    .filter((imported) => existsSync(imported) && /\.[cm]?[jt]sx?$/.test(imported));
};

const leadsTo = (goal, start) => {
  const seen = new Set([start]);
  for (const path of seen) {
    if (path === goal) return true;
    for (const imported of readImports(path)) seen.add(imported);
  }
  return false;
};

/** Forbids a dynamic import whose module imports this one again. */
export const noDynamicCycle = {
  create: ({ physicalFilename, report }) => ({
    ImportExpression: (node) => {
      if (typeof node.source.value !== 'string' || !node.source.value.startsWith('.')) return;
      const path = resolve(dirname(physicalFilename), node.source.value);
      if (existsSync(path) && leadsTo(physicalFilename, path)) report({ node, message: 'A cycle of imports.' });
    },
  }),
};
