/**
 * What an editor shows of a package: the doc comment of each export and its members, as the compiler reads it from the
 * packed declarations.
 */
import { join } from 'node:path';
import ts from 'typescript';
import { createProgram } from './create-program.ts';
import type { PackedPackage } from './packed-package.ts';

/** The tags that our comments use. A bare `@` in a text also starts a tag, and cuts the text there. */
const knownTags = ['default', 'example', 'param', 'returns', 'throws'];

/** Lists the public members of an entry (`dist/index.d.ts`) without a comment, and those whose comment is cut. */
export const docComplaints = (packed: PackedPackage, entry: string): { undocumented: string[]; cut: string[] } => {
  const file = join(packed.folder, 'node_modules', packed.name, entry);
  const program = createProgram(ts, [file], { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new TypeError(`${entry} exports nothing`);
  const found = { undocumented: [] as string[], cut: [] as string[] };

  const note = (title: string, text: ts.SymbolDisplayPart[], tags: ts.JSDocTagInfo[]): void => {
    if (ts.displayPartsToString(text).trim() === '') found.undocumented.push(title);
    if (tags.some(({ name }) => !knownTags.includes(name))) found.cut.push(title);
  };
  const isOurs = (node: ts.Node): boolean => node.getSourceFile().fileName.includes(packed.name);

  /** Each overload of a function is listed separately. */
  const visit = (symbol: ts.Symbol, title: string): void => {
    const declared = (symbol.declarations ?? []).filter(isOurs);
    const functions = declared.filter(ts.isFunctionLike);
    const overloads = functions.flatMap((node) => checker.getSignatureFromDeclaration(node) ?? []);
    for (const shown of overloads.length > 0 ? overloads : [symbol])
      note(title, shown.getDocumentationComment(checker), shown.getJsDocTags(checker));
    for (const node of declared) if (!ts.isFunctionLike(node)) visitMembers(node, title);
  };

  /** Members written in the declaration itself: those of the type, and of unnamed types within it. */
  const visitMembers = (node: ts.Node, title: string): void =>
    node.forEachChild((child) => {
      const isMember = ts.isTypeElement(child) || ts.isClassElement(child);
      if (!isMember) {
        if (!ts.isFunctionLike(child)) visitMembers(child, title);
        return;
      }
      if (child.name === undefined || isPrivate(child)) return;
      const symbol = checker.getSymbolAtLocation(child.name);
      if (symbol !== undefined) visit(symbol, `${title}.${child.name.getText()}`);
    });

  for (const exported of checker.getExportsOfModule(module)) {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    visit(isAlias ? checker.getAliasedSymbol(exported) : exported, exported.name);
  }
  return { undocumented: [...new Set(found.undocumented)], cut: [...new Set(found.cut)] };
};

const isPrivate = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
