/**
 * Finds the subject of a page's JSON-LD. Pages also describe their site, breadcrumbs and publisher, in any order, as
 * lists, graphs or nested; only the subject's name may become a bot's name.
 */
type Node = Readonly<Record<string, unknown>>;

/** Bounds for hostile pages; lists of graphs of pages with a main entity are well within them. */
const deepestNode = 4;
const mostNodes = 100;

/** What pages describe besides their subject. */
const asides: ReadonlySet<string> = new Set([
  'Organization',
  'Corporation',
  'Person',
  'WebSite',
  'BreadcrumbList',
  'ItemList',
  'ImageObject',
  'SearchAction',
]);

/** The JSON-LD nodes that may be the page's subject, the likeliest first. Unreadable blocks are skipped. */
export function jsonLdSubjects(blocks: readonly string[]): unknown[] {
  return blocks
    .flatMap((block) => nodesIn(parsed(block), deepestNode))
    .slice(0, mostNodes)
    .map((node) => ({ node, rank: rankOf(node) }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank)
    .map(({ node }) => node);
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function nodesIn(value: unknown, depth: number): Node[] {
  if (depth === 0 || !isNode(value)) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => nodesIn(entry, depth - 1));
  return [value, ...nodesIn(value['@graph'], depth - 1), ...nodesIn(value['mainEntity'], depth - 1)];
}

/** An application comes before anything else, and everything else before the page itself. */
function rankOf(node: Node): number {
  const types = [node['@type']].flat().filter((type) => typeof type === 'string');
  const names = types.map((type) => type.replace(/^.*[/:]/, ''));
  if (names.some((name) => /(?:Application|SourceCode)$|^Product$/.test(name))) return 0;
  if (names.some((name) => asides.has(name))) return Infinity;
  return names.some((name) => name.endsWith('Page')) ? 2 : 1;
}

function parsed(block: string): unknown {
  try {
    return JSON.parse(block);
  } catch {
    return undefined;
  }
}
