/**
 * What lint checks: sound use of types, and who may import whom (docs/ARCHITECTURE.md). Formatting is left to oxfmt
 * (decision 0088). oxlint finds a configuration by itself only if Node can read TypeScript: it is named in
 * `scripts/lint.mjs`.
 */
import { builtinModules } from 'node:module';
import { recommended, strict, strictTyped } from './lint/rule-sets.js';

const redisClients = { regex: '^(ioredis|redis|@redis/.+)$', message: 'Only redis/ and store/ speak to Redis.' };
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

const typesOfTheContract = {
  regex: '^@bot-directory/(?:contract|sdk)$',
  allowTypeImports: true,
  message: 'Only the types of the contract, and of the own index.',
};

const dependencies = {
  regex: '^(?!\\.|node:|@bot-directory/(?:contract|sdk)$)',
  message: 'The published packages have no dependencies.',
};

const noEnum = { selector: 'TSEnumDeclaration', message: 'Write a union of literals, or a table with `as const`.' };

const noClock = {
  selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
  message: 'There is no clock here: pass the time in.',
};
const rawMarkup = {
  selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
  message: 'Text becomes markup in parts/json-ld.tsx and, of our own guide, in pages/subscribing.tsx alone.',
};
const addressesFromData = {
  selector:
    'JSXAttribute[name.name=/^(href|src|action|formAction|srcSet|ping)$/] > JSXExpressionContainer > :not(CallExpression[callee.object.name="to"])',
  message: 'JSX lets javascript: through: an address made of data is made by `to` of parts/href.ts.',
};

/** A rule's later setting replaces its earlier one, so each place lists all the imports that it forbids. */
const refusedImports = (...patterns) => ({
  'house/no-restricted-imports': ['error', unprefixed, environment, ...patterns],
});

const processEnv = { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' };
const canParse = {
  object: 'URL',
  property: 'canParse',
  message: 'Wrong in Node 20 and 22 when hot: see base/parsed.ts.',
};
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

export default {
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  // The recipes' frameworks, and so their types, are in checks/sdk.
  ignorePatterns: ['**/dist/', '**/.turbo/', '**/coverage/', '.data/', '.test-report/', 'examples/recipes/'],
  plugins: ['typescript', 'import'],
  jsPlugins: ['./lint/house-rules.js'],
  categories: { correctness: 'off' },
  rules: {
    ...recommended,
    // As in ESLint: a name that begins with _ is no excuse.
    'no-unused-vars': ['error', { varsIgnorePattern: '^$', argsIgnorePattern: '^$', caughtErrorsIgnorePattern: '^$' }],
    'import/no-cycle': ['error', { ignoreExternal: true, ignoreTypes: false }],
    'house/import-zones': 'error',
    'house/max-len': 'error',
    'house/max-lines-per-function': 'error',
    'house/one-thing-a-line': 'error',
    'house/programs-by-name': 'error',
  },
  overrides: [
    {
      files: ['**/*.gen.{ts,tsx}'],
      rules: { 'house/max-len': 'off' },
    },
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        ...strict,
        'no-unused-vars': [
          'error',
          {
            varsIgnorePattern: '^$',
            argsIgnorePattern: '^_',
            caughtErrorsIgnorePattern: '^$',
            ignoreRestSiblings: true,
            reportVarsOnlyUsedAsTypes: true,
          },
        ],
        'house/no-restricted-syntax': ['error', noEnum],
      },
    },
    {
      files: ['**/*.{ts,tsx}'],
      excludeFiles: ['**/*.config.ts'],
      rules: strictTyped,
    },
    {
      // server: who reads the environment, opens sockets and speaks to Redis
      files: ['packages/server/src/**/*.ts'],
      excludeFiles: ['**/*.test.ts'],
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
      files: ['packages/server/src/{redis,store}/**/*.ts'],
      rules: refusedImports(sockets),
    },
    {
      // server: what accepts connections and what makes them
      files: [
        'packages/server/src/app/start-web.ts',
        'packages/server/src/http/{server,connections,node-internals}.ts',
        'packages/server/src/outbound/**/*.ts',
      ],
      rules: refusedImports(redisClients),
    },
    {
      // server: pure parts; the log writes to standard output, and a library sends the traces
      files: ['packages/server/src/{base,domain}/**/*.ts'],
      excludeFiles: ['**/*.test.ts', 'packages/server/src/base/log.ts'],
      rules: refusedImports(redisClients, sockets, purity),
    },
    {
      // server: the domain has no clock and no randomness
      files: ['packages/server/src/domain/**/*.ts'],
      excludeFiles: ['**/*.test.ts'],
      rules: {
        ...refusedImports(redisClients, sockets, purity, randomness),
        'no-restricted-properties': ['error', processEnv, canParse, ...clockAndChance],
        'no-restricted-globals': ['error', 'fetch', 'process', 'setTimeout', 'setInterval', 'setImmediate'],
        'house/no-restricted-syntax': ['error', noEnum, noClock],
      },
    },
    {
      // what is published depends on nothing: Node itself, and the types of the contract at build time
      files: ['packages/{sdk,webhook-receiver}/src/**/*.ts'],
      excludeFiles: ['**/*.test.ts'],
      rules: refusedImports(dependencies, typesOfTheContract),
    },
    {
      // site: plain values in, text out; no markup and no address but from where each is made
      files: ['packages/site/src/**/*.{ts,tsx}', 'packages/site/test/types/**/*.tsx'],
      excludeFiles: ['packages/site/src/client/**', '**/*.test.ts'],
      rules: {
        ...refusedImports({ regex: '^node:', message: 'packages/site does no I/O.' }, typesOfTheContract),
        'no-restricted-properties': ['error', processEnv, canParse, ...clockAndChance],
        'no-restricted-globals': ['error', 'fetch', 'process', 'document', 'window', 'setTimeout', 'setInterval'],
        'house/no-restricted-syntax': ['error', noEnum, noClock, rawMarkup, addressesFromData],
      },
    },
    {
      files: ['packages/site/src/parts/json-ld.tsx', 'packages/site/src/pages/subscribing.tsx'],
      rules: { 'house/no-restricted-syntax': ['error', noEnum, noClock, addressesFromData] },
    },
    {
      // tests read JSON of unknown shape
      files: ['**/*.test.ts', '**/test/**/*.ts'],
      rules: {
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-return': 'off',
      },
    },
    {
      // type tests state types for their own sake
      files: ['**/test/types/**/*.ts'],
      rules: {
        'typescript/no-generated-empty-object-type': 'off',
        'typescript/no-unnecessary-type-parameters': 'off',
      },
    },
  ],
};
