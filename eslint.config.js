/**
 * What lint checks: sound use of types, and who may import whom (docs/ARCHITECTURE.md). Formatting is left to Prettier.
 */
import { builtinModules } from 'node:module';
import js from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import { defineConfig, globalIgnores } from 'eslint/config';
import { builtinRules } from 'eslint/use-at-your-own-risk';
import ts from 'typescript-eslint';
import { serverLayers } from './server-layers.js';

const serverSource = './packages/server/src';
const layersInWords = serverLayers.map((row) => row.join(', ')).join(' → ');

/** The packages, and the packages that each may import from. Only the server's tests use its clients. */
const packageImports = {
  contract: [],
  'site/src': ['contract', 'site'],
  'site/test': ['contract', 'site'],
  codegen: ['contract'],
  openapi: ['contract', 'runtimes', 'sdk/test/support'],
  'server/src': ['contract', 'server', 'site'],
  'server/test': ['contract', 'runtimes', 'sdk', 'server', 'site', 'webhook-receiver'],
  sdk: ['contract', 'runtimes'],
  'webhook-receiver': ['contract', 'runtimes'],
};

const layerZones = serverLayers.flatMap((row, depth) =>
  row.map((part) => ({
    target: `${serverSource}/${part}`,
    from: [...serverLayers.slice(0, depth), row.filter((other) => other !== part)]
      .flat()
      .map((other) => `${serverSource}/${other}`),
    message: `The server's ${part} imports only from what stands below it: ${layersInWords}.`,
  })),
);

const packageZones = Object.entries(packageImports).map(([name, allowed]) => ({
  target: `./packages/${name}`,
  from: './packages',
  except: [...allowed, name].map((other) => `./${other}`),
  message: `packages/${name} imports from no other package than: ${allowed.join(', ') || 'none'}.`,
}));

const redisClients = { regex: '^(ioredis|redis|@redis/.+)$', message: 'Only store/ speaks to Redis.' };
const sockets = {
  regex: '^(undici|node:(net|tls|http|https|http2|dgram|dns)(/.*)?)$',
  allowTypeImports: true,
  message: 'Only outbound/ opens sockets.',
};
const unprefixed = {
  regex: `^(${builtinModules.filter((name) => !name.startsWith('node:')).join('|')})$`,
  message: 'Write node: before it.',
};
const environment = { regex: '^node:process$', message: 'Use the global process; only config.ts reads its env.' };
const purity = { regex: '^node:(?!crypto$)', message: 'domain/ and base/ do no I/O.' };
const randomness = {
  regex: '^node:crypto$',
  importNamePattern: '^(random|getRandomValues|generateKey|webcrypto)',
  message: 'domain/ has no randomness: pass it in.',
};

const noEnum = { selector: 'TSEnumDeclaration', message: 'Write a union of literals, or a table with `as const`.' };

const noClock = {
  selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
  message: 'There is no clock here: pass the time in.',
};
const rawMarkup = {
  selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
  message: 'Text becomes markup in parts/json-ld.tsx alone.',
};
const addressesFromData = {
  selector:
    'JSXAttribute[name.name=/^(href|src|action|formAction|srcSet|ping)$/] > JSXExpressionContainer > :not(CallExpression[callee.object.name="to"])',
  message: 'JSX lets javascript: through: an address made of data is made by `to` of parts/href.ts.',
};

/** A rule's later setting replaces its earlier one, so each place lists all the imports that it forbids. */
const refusedImports = (...patterns) => ({
  '@typescript-eslint/no-restricted-imports': ['error', { patterns: [unprefixed, environment, ...patterns] }],
});

const processEnv = { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' };
const canParse = { object: 'URL', property: 'canParse', message: 'Wrong in Node 20 and 22 when hot: see read-url.ts.' };
const clockAndChance = [
  ['Date', 'now'],
  ['Math', 'random'],
  ['performance', 'now'],
  ['crypto', 'randomUUID'],
  ['crypto', 'getRandomValues'],
].map(([object, property]) => ({
  object,
  property,
  message: 'domain/ has no clock and no randomness: pass the value in.',
}));

/** All packages in one program cost less than half of a program each, but an editor needs only that of its file. */
const types = process.env.LINT_ALL === undefined ? { projectService: true } : { project: './tsconfig.lint.json' };

const maxLines = builtinRules.get('max-lines-per-function');

/** The built-in rule, except for the callback of a describe(), which groups tests and is not a function to measure. */
const maxLinesPerFunction = {
  meta: maxLines.meta,
  create: (context) => {
    const isDescribe = ({ parent }) =>
      parent?.type === 'CallExpression' && context.sourceCode.getText(parent.callee).startsWith('describe');
    const report = (problem) => isDescribe(problem.node) || context.report(problem);
    return maxLines.create(Object.create(context, { report: { value: report } }));
  },
};

export default defineConfig(
  globalIgnores(['**/dist/', '**/.turbo/', '**/coverage/', '.data/', '.test-report/']),
  js.configs.recommended,
  {
    plugins: { house: { rules: { 'max-lines-per-function': maxLinesPerFunction } } },
    rules: {
      'house/max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      // Prettier leaves comments as they are, and strings cannot be cut.
      'max-len': [
        'error',
        {
          code: 120,
          ignoreUrls: true,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
        },
      ],
    },
  },
  {
    files: ['**/*.gen.{ts,tsx}'],
    rules: { 'max-len': 'off' },
  },
  {
    files: ['**/*.{js,mjs}'],
    // The type checker knows every name.
    rules: { 'no-undef': 'off' },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [ts.configs.strictTypeChecked],
    languageOptions: { parserOptions: { ...types, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      'no-restricted-syntax': ['error', noEnum],
    },
  },
  {
    files: ['**/*.config.ts'],
    extends: [ts.configs.disableTypeChecked],
  },
  {
    files: ['**/*.{ts,tsx,js,mjs}'],
    plugins: { 'import-x': importX },
    settings: {
      ...importX.flatConfigs.typescript.settings,
      'import-x/resolver-next': [createTypeScriptImportResolver()],
    },
    rules: {
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-restricted-paths': [
        'error',
        { basePath: import.meta.dirname, zones: [...layerZones, ...packageZones] },
      ],
    },
  },
  {
    name: 'server: who reads the environment, opens sockets and speaks to Redis',
    files: ['packages/server/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      ...refusedImports(redisClients, sockets),
      'no-restricted-properties': ['error', processEnv, canParse],
      'no-restricted-globals': [
        'error',
        ...['fetch', 'WebSocket', 'EventSource'].map((name) => ({ name, message: sockets.message })),
      ],
    },
  },
  {
    files: ['packages/server/src/config.ts'],
    rules: { 'no-restricted-properties': ['error', canParse] },
  },
  {
    files: ['packages/server/src/store/**/*.ts'],
    rules: refusedImports(sockets),
  },
  {
    name: 'server: what accepts connections and what makes them',
    files: [
      'packages/server/src/{main,app}.ts',
      'packages/server/src/http/{server,express-classes,connections,parser-errors,metrics-server}.ts',
      'packages/server/src/outbound/**/*.ts',
    ],
    rules: refusedImports(redisClients),
  },
  {
    name: 'server: pure parts',
    files: ['packages/server/src/{base,domain}/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: refusedImports(redisClients, sockets, purity),
  },
  {
    name: 'server: the domain has no clock and no randomness',
    files: ['packages/server/src/domain/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      ...refusedImports(redisClients, sockets, purity, randomness),
      'no-restricted-properties': ['error', processEnv, canParse, ...clockAndChance],
      'no-restricted-globals': ['error', 'fetch', 'process', 'setTimeout', 'setInterval', 'setImmediate'],
      'no-restricted-syntax': ['error', noEnum, noClock],
    },
  },
  {
    name: 'what is published depends on nothing: Node itself, and the types of the contract at build time',
    files: ['packages/{sdk,webhook-receiver}/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: refusedImports(
      { regex: '^(?!\\.|node:|@bot-directory/contract$)', message: 'The published packages have no dependencies.' },
      { regex: '^@bot-directory/contract$', allowTypeImports: true, message: 'Only the types of the contract.' },
    ),
  },
  {
    name: 'site: plain values in, text out; no markup and no address but from where each is made',
    files: ['packages/site/src/**/*.{ts,tsx}', 'packages/site/test/types/**/*.tsx'],
    ignores: ['packages/site/src/client/**', '**/*.test.ts'],
    rules: {
      ...refusedImports(
        { regex: '^node:', message: 'packages/site does no I/O.' },
        { regex: '^@bot-directory/contract$', allowTypeImports: true, message: 'Only the types of the contract.' },
      ),
      'no-restricted-properties': ['error', processEnv, canParse, ...clockAndChance],
      'no-restricted-globals': ['error', 'fetch', 'process', 'document', 'window', 'setTimeout', 'setInterval'],
      'no-restricted-syntax': ['error', noEnum, noClock, rawMarkup, addressesFromData],
    },
  },
  {
    files: ['packages/site/src/parts/json-ld.tsx'],
    rules: { 'no-restricted-syntax': ['error', noEnum, noClock, addressesFromData] },
  },
  {
    name: 'site: each planted mistake is one that lint finds',
    files: ['packages/site/test/types/**/*.tsx'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    name: 'tests read JSON of unknown shape',
    files: ['**/*.test.ts', '**/test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    name: 'type tests state types for their own sake',
    files: ['**/test/types/**/*.ts'],
    rules: {
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
);
