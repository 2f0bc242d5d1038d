/**
 * What a place may not import, by patterns. oxlint's own rule of that name takes no look-ahead in a pattern and finds
 * nothing by the names of imports.
 */
const isTypes = ({ type, importKind, exportKind, specifiers = [] }) => {
  if (importKind === 'type' || exportKind === 'type') return true;
  const kinds = specifiers.map((specifier) =>
    type === 'ImportDeclaration' ? specifier.importKind : specifier.exportKind,
  );
  return kinds.length > 0 && kinds.every((kind) => kind === 'type');
};

/** Returns the names that are imported: none, if it is the whole module. */
const namesOf = ({ specifiers = [] }) =>
  specifiers.some(({ type }) => type === 'ImportNamespaceSpecifier')
    ? []
    : specifiers.map(({ type, imported, local }) =>
        type === 'ImportDefaultSpecifier' ? 'default' : (imported ?? local).name,
      );

/**
 * Forbids imports. Its options are `{ regex, importNamePattern?, allowTypeImports?, message }`. Types pass if one of
 * the patterns that match their module lets them.
 */
export const noRestrictedImports = {
  meta: { schema: { type: 'array', items: { type: 'object' } } },
  create: ({ options, report }) => {
    const patterns = options.map(({ regex, importNamePattern, ...rest }) => ({
      ...rest,
      modules: new RegExp(regex, 'u'),
      names: new RegExp(importNamePattern ?? '', 'u'),
    }));
    const check = (node) => {
      if (typeof node.source?.value !== 'string') return;
      const matching = patterns.filter(({ modules }) => modules.test(node.source.value));
      if (isTypes(node) && matching.some(({ allowTypeImports }) => allowTypeImports)) return;
      const names = namesOf(node);
      for (const { names: pattern, message } of matching) {
        const isNamed = names.length === 0 || names.some((name) => pattern.test(name));
        if (isNamed) report({ node, message });
      }
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      TSImportEqualsDeclaration: (node) => check({ ...node, source: node.moduleReference.expression }),
    };
  },
};
