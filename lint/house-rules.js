/**
 * The rules that oxlint does not have, as its plugin `house`. Each is what ESLint's rule of that name finds, with only
 * the options that are used here.
 */
import { importZones } from './import-zones.js';
import { noRestrictedImports } from './no-restricted-imports.js';
import { programsByName } from './programs-by-name.js';

const maxColumns = 120;
const maxLines = 60;

/** Forbids what a selector of nodes finds. Its options are `{ selector, message }`. */
const noRestrictedSyntax = {
  meta: { schema: { type: 'array', items: { type: 'object' } } },
  create: (context) =>
    Object.fromEntries(
      context.options.map(({ selector, message }) => [selector, (node) => context.report({ node, message })]),
    ),
};

/** Forbids what only saves a line. */
const oneThingALine = {
  create: ({ report }) => {
    const squeezed = {
      'VariableDeclarator[id.type="ArrayPattern"][init.type="ArrayExpression"]': 'Declare each variable by itself.',
      'ObjectExpression > SpreadElement > ObjectExpression': 'Write the members themselves.',
      ':matches(ArrayExpression, CallExpression, NewExpression) > SpreadElement > ArrayExpression':
        'Write the entries themselves.',
      'ForStatement[init]:not([update])': 'Declare the variable before a `while` or `for (;;)`.',
    };
    const isList = ({ id, init }) => [...id.elements, ...init.elements].some((one) => /^(Rest|Spread)/.test(one?.type));
    return Object.fromEntries(
      Object.entries(squeezed).map(([selector, message]) => [
        selector,
        (node) => {
          if (node.type !== 'VariableDeclarator' || !isList(node)) report({ node, message });
        },
      ]),
    );
  },
};

const uncuttable = new Set(['String', 'Template', 'RegularExpression']);

/** Limits a line. oxfmt leaves comments as they are, and strings, expressions and addresses cannot be cut. */
const maxLen = {
  create: ({ sourceCode, report }) => ({
    Program: () => {
      const isLong = (line) => line.length > maxColumns && [...line].length > maxColumns && !line.includes('://');
      const long = new Set(sourceCode.lines.flatMap((line, i) => (isLong(line) ? [i + 1] : [])));
      if (long.size === 0) return;
      for (const { type, value, loc } of sourceCode.ast.tokens) {
        if (!uncuttable.has(type) && !(type === 'JSXText' && /^["']/.test(value))) continue;
        for (let line = loc.start.line; line <= loc.end.line; line += 1) long.delete(line);
      }
      for (const line of long)
        report({ loc: { line, column: 0 }, message: `A line of more than ${maxColumns} columns.` });
    },
  }),
};

const isDescribe = ({ parent }, sourceCode) =>
  parent.type === 'CallExpression' && sourceCode.getText(parent.callee).startsWith('describe');

/** Tells how many lines of a node are code: neither empty nor all comment. */
const countLines = (node, sourceCode) => {
  const lines = new Set();
  for (const { loc } of sourceCode.getTokens(node)) {
    for (let line = loc.start.line; line <= loc.end.line; line += 1) lines.add(line);
  }
  return [...lines].filter((line) => sourceCode.lines[line - 1].trim() !== '').length;
};

/** Limits a function, but for the callback of a describe(), which groups tests and is not a function to measure. */
const maxLinesPerFunction = {
  create: ({ sourceCode, report }) => {
    const check = (node) => {
      const { start, end } = node.loc;
      if (end.line - start.line < maxLines || isDescribe(node, sourceCode) || node.parent.callee === node) return;
      const count = countLines(node, sourceCode);
      if (count > maxLines) report({ node, message: `A function of ${count} lines: more than ${maxLines}.` });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

export default {
  meta: { name: 'house' },
  rules: {
    'import-zones': importZones,
    'max-len': maxLen,
    'max-lines-per-function': maxLinesPerFunction,
    'no-restricted-imports': noRestrictedImports,
    'no-restricted-syntax': noRestrictedSyntax,
    'one-thing-a-line': oneThingALine,
    'programs-by-name': programsByName,
  },
};
