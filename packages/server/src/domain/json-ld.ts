// Which thing a page's JSON-LD is about. Pages describe their site, their breadcrumbs and their publisher beside their
// subject, in any order, as lists, graphs or nested; only the subject's name may become a bot's name.

/** Where a node of this schema.org type stands when several could be the subject; `undefined` never is. */
function rank(type: string): number | undefined {
  if (/^(?:Organization|Corporation|Person|WebSite|BreadcrumbList|ItemList|ImageObject|SearchAction)$/.test(type)) return;
  if (/(?:Application|SourceCode)$|^Product$/.test(type)) return 0;
  return /Page$/.test(type) ? 2 : 1;
}

/** Enough for a list of graphs of pages with a main entity, and a bound for hostile ones. */
const deepestNode = 4;

/** The nodes of the page's JSON-LD blocks that may be its subject, the likeliest first. Unreadable blocks are skipped. */
export function jsonLdSubjects(blocks: readonly string[]): unknown[] {
  return blocks
    .flatMap((block) => nodesIn(parsed(block), deepestNode))
    .flatMap((node) => ranked(node))
    .sort((a, b) => a.rank - b.rank)
    .map(({ node }) => node);
}

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function nodesIn(value: unknown, depth: number): Node[] {
  if (depth === 0 || !isNode(value)) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => nodesIn(entry, depth - 1));
  return [value, ...nodesIn(value['@graph'], depth - 1), ...nodesIn(value['mainEntity'], depth - 1)];
}

function ranked(node: Node): { node: Node; rank: number }[] {
  const types = [node['@type']].flat().filter((type) => typeof type === 'string');
  const ranks = (types.length === 0 ? [''] : types).map((type) => rank(type.replace(/^.*[/:]/, '')));
  const known = ranks.filter((value) => value !== undefined);
  return known.length === 0 ? [] : [{ node, rank: Math.min(...known) }];
}

function parsed(block: string): unknown {
  try {
    return JSON.parse(block);
  } catch {
    return undefined;
  }
}
