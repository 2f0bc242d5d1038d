/**
 * What is generally wrong: the rules of ESLint's `recommended` and of typescript-eslint's `strictTypeChecked`, by name,
 * so that a release of oxlint brings no rule unasked. Three are missing. `no-dupe-args` and `no-octal` are errors of
 * syntax in a module, and `no-unsafe-class-instance-assignment` is not in oxlint (decision 0088).
 */
const errors = (prefix, names) =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [`${prefix}${name}`, 'error']),
  );

/** JavaScript and TypeScript. */
export const recommended = errors(
  '',
  `
  constructor-super for-direction getter-return no-async-promise-executor no-case-declarations no-class-assign
  no-compare-neg-zero no-cond-assign no-const-assign no-constant-binary-expression no-constant-condition
  no-control-regex no-debugger no-delete-var no-dupe-class-members no-dupe-else-if no-dupe-keys no-duplicate-case
  no-empty no-empty-character-class no-empty-pattern no-empty-static-block no-ex-assign no-extra-boolean-cast
  no-fallthrough no-func-assign no-global-assign no-import-assign no-invalid-regexp no-irregular-whitespace
  no-loss-of-precision no-misleading-character-class no-new-native-nonconstructor no-nonoctal-decimal-escape
  no-obj-calls no-prototype-builtins no-redeclare no-regex-spaces no-self-assign no-setter-return
  no-shadow-restricted-names no-sparse-arrays no-this-before-super no-unassigned-vars no-unexpected-multiline
  no-unreachable no-unsafe-finally no-unsafe-negation no-unsafe-optional-chaining no-unused-labels
  no-unused-private-class-members no-useless-assignment no-useless-backreference no-useless-catch no-useless-escape
  no-with preserve-caught-error require-yield use-isnan valid-typeof
  `,
);

/** TypeScript alone, without types. */
export const strict = {
  'no-redeclare': 'off',
  ...errors(
    '',
    `
    no-array-constructor no-unused-expressions no-useless-constructor no-var prefer-const prefer-rest-params
    prefer-spread
    `,
  ),
  ...errors(
    'typescript/',
    `
    no-duplicate-enum-values no-dynamic-delete no-empty-object-type no-explicit-any no-extra-non-null-assertion
    no-extraneous-class no-invalid-void-type no-misused-new no-namespace no-non-null-asserted-nullish-coalescing
    no-non-null-asserted-optional-chain no-non-null-assertion no-require-imports no-this-alias
    no-unnecessary-type-constraint no-unsafe-declaration-merging no-unsafe-function-type no-wrapper-object-types
    prefer-as-const prefer-literal-enum-member prefer-namespace-keyword triple-slash-reference unified-signatures
    `,
  ),
  'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
};

/** TypeScript alone, with types. */
export const strictTyped = {
  ...errors(
    'typescript/',
    `
    await-thenable no-array-delete no-base-to-string no-deprecated no-duplicate-type-constituents no-floating-promises
    no-for-in-array no-generated-empty-object-type no-implied-eval no-meaningless-void-operator no-misused-promises
    no-misused-spread no-mixed-enums no-redundant-type-constituents no-unnecessary-boolean-literal-compare
    no-unnecessary-condition no-unnecessary-template-expression no-unnecessary-type-arguments
    no-unnecessary-type-assertion no-unnecessary-type-conversion no-unnecessary-type-parameters no-unsafe-argument
    no-unsafe-assignment no-unsafe-call no-unsafe-enum-assignment no-unsafe-enum-comparison no-unsafe-member-access
    no-unsafe-return no-unsafe-unary-minus no-useless-default-assignment only-throw-error prefer-promise-reject-errors
    prefer-reduce-type-parameter prefer-return-this-type related-getter-setter-pairs require-await unbound-method
    use-unknown-in-catch-callback-variable
    `,
  ),
  'typescript/no-confusing-void-expression': [
    'error',
    { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
  ],
  'typescript/restrict-plus-operands': [
    'error',
    { allowAny: false, allowBoolean: false, allowNullish: false, allowNumberAndString: false, allowRegExp: false },
  ],
  'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
  'typescript/return-await': ['error', 'error-handling-correctness-only'],
};
