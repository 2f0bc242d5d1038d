/**
 * Forbids to start a program by a name that not every machine has. What starts one is a function of
 * `node:child_process`, of `scripts/child.mjs` or of this file, if that passes its first parameter on.
 */
const base = new Set(['bash', 'cp', 'curl', 'find', 'git', 'npm', 'npx', 'pnpm', 'sh', 'tar']);
const modules = /^node:child_process$|\/child\.mjs$|\/run(\.ts)?$/;
const starters = /^(exec|execSync|execFile|execFileSync|spawn|spawnSync|startChild|run|runForOutput|runQuietly)$/;

const message =
  'Not every machine has it: start `program(name)` of scripts/programs.mjs, and skip its tests with `needs(name)`.';

const isPath = (text) => text.includes('/');

/** Returns the variable that an identifier means. */
const variableOf = (identifier, sourceCode) => {
  for (let scope = sourceCode.getScope(identifier); scope !== null; scope = scope.upper) {
    const variable = scope.set.get(identifier.name);
    if (variable !== undefined) return variable;
  }
  return undefined;
};

/** Returns the definition of an identifier. */
const definitionOf = (node, sourceCode) =>
  node?.type === 'Identifier' ? variableOf(node, sourceCode)?.defs[0] : undefined;

export const programsByName = {
  create: ({ sourceCode, report }) => {
    /** Functions of this file that start what their first parameter names. */
    const wrappers = new Set();
    const isStarter = (node) => {
      if (node.type === 'CallExpression')
        return node.callee.name === 'promisify' && node.arguments.length === 1 && isStarter(node.arguments[0]);
      const definition = definitionOf(node, sourceCode);
      if (definition?.type === 'ImportBinding')
        return modules.test(definition.parent.source.value) && starters.test(definition.node.imported?.name ?? '');
      const made = definition?.node.init ?? definition?.node;
      return made?.type === 'CallExpression' ? isStarter(made) : wrappers.has(made);
    };
    /** Whether it is not a name, as far as this file shows. */
    const isFine = (node) => {
      switch (node.type) {
        case 'Literal':
          return base.has(node.value) || isPath(String(node.value));
        case 'TemplateLiteral':
          return node.quasis.some(({ value }) => isPath(value.raw));
        case 'Identifier': {
          const definition = definitionOf(node, sourceCode);
          if (definition?.type === 'Parameter' && definition.node.params[0]?.name === node.name) {
            wrappers.add(definition.node);
            return true;
          }
          if (definition?.type !== 'Variable' || definition.node.init === null) return false;
          return isFine(definition.node.init);
        }
        case 'ArrayExpression':
          return isFine(node.elements[0]);
        default:
          return true;
      }
    };
    const calls = new Set();
    return {
      CallExpression: (node) => void (node.arguments.length > 0 && calls.add(node)),
      'Program:exit': () => {
        // A wrapper may be called before it is written.
        let known = -1;
        while (known < wrappers.size) {
          known = wrappers.size;
          for (const call of calls) {
            if (!isStarter(call.callee)) continue;
            calls.delete(call);
            if (!isFine(call.arguments[0])) report({ node: call.arguments[0], message });
          }
        }
      },
    };
  },
};
