/**
 * What the template provider's response says about a template: a JSON object, or the metadata of an HTML page. Hostile
 * responses give a shorter result or none; nothing here throws. The fetcher checks status, size and time.
 */
import { limits } from '@bot-directory/contract';
import { Parser } from 'htmlparser2';
import { displayLines, displayText } from './display-text.ts';
import { firstWritten, namedBy, type WrittenIntegrations } from './names.ts';

/** A template as the provider describes it, cleaned and cut to the directory's limits. */
export type TemplatePage = {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly integrations: WrittenIntegrations;
};

/** By these, the provider identifies a version of a template (RFC 9110 §8.8). At least one is set. */
export type TemplateValidators = { readonly etag?: string; readonly lastModified?: string };

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The validators in a response; undefined if it has none that may be sent back. */
export const validatorsFrom = (etag = '', lastModified = ''): TemplateValidators | undefined => {
  const hasTag = /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/.test(etag);
  const hasDate = httpDate.test(lastModified);
  return hasTag || hasDate ? { ...(hasTag ? { etag } : {}), ...(hasDate ? { lastModified } : {}) } : undefined;
};

/** One source's description of the template; a page may have several, the most trusted first. */
type Statement = {
  readonly name: string;
  readonly description: string;
  readonly integrations: readonly unknown[];
  readonly connectors: readonly unknown[];
};

/**
 * The template that a response describes, or `undefined` if it is unreadable: neither JSON nor HTML, or without a name.
 */
export function readTemplatePage(contentType: string | undefined, body: string): TemplatePage | undefined {
  const statements = readStatements(contentType, body);
  const name = firstOf(statements.map((statement) => displayText(statement.name, limits.nameLength)));
  if (name === '') return undefined;
  const description = firstOf(
    statements.map((statement) => displayLines(statement.description, limits.descriptionLength)),
  );
  const lists = statements.flatMap(({ integrations, connectors }) => [integrations, connectors]);
  return { name, description, integrations: readIntegrations(lists.find((entries) => entries.length > 0) ?? []) };
}

/** The text of a response; undefined if its charset is unknown. JSON has none: it is UTF-8 (RFC 8259 §8.1, §11). */
export function decodedBody(contentType: string | undefined, body: Uint8Array): string | undefined {
  const [mediaType = '', ...parameters] = contentType?.split(';') ?? [];
  const charsets = parameters.flatMap((parameter) => /^\s*charset\s*=\s*"?([^\s"]+)/i.exec(parameter)?.[1] ?? []);
  try {
    return new TextDecoder(/json/i.test(mediaType) ? 'utf-8' : charsets[0]).decode(body);
  } catch {
    return undefined;
  }
}

function readStatements(contentType: string | undefined, body: string): Statement[] {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() ?? sniffed(body);
  if (/^application\/(?:.+\+)?json$/.test(mediaType)) return [body].flatMap(parseJson).flatMap(asStatement);
  return /^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType) ? statementsOfHtml(body) : [];
}

const sniffed = (body: string): string => (body.trimStart().startsWith('<') ? 'text/html' : 'application/json');

function statementsOfHtml(html: string): Statement[] {
  const { jsonLd, meta, title } = readPageMetadata(html);
  const openGraph = { name: meta.get('og:title'), description: meta.get('og:description') };
  const head = { name: title, description: meta.get('description') };
  // Only one node is the subject: the next node's description would be about something else.
  const subject = jsonLdSubjects(jsonLd)
    .flatMap(asStatement)
    .find(({ name }) => displayText(name, limits.nameLength) !== '');
  return [subject ?? {}, openGraph, head].flatMap(asStatement);
}

function asStatement(value: unknown): Statement[] {
  if (!isNode(value) || Array.isArray(value)) return [];
  const { name, description, integrations, connectors } = value;
  return [
    {
      name: asText(name),
      description: asText(description),
      integrations: asList(integrations),
      connectors: asList(connectors),
    },
  ];
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function parseJson(body: string): unknown[] {
  try {
    // trimStart also removes a byte order mark, which JSON.parse refuses.
    return [JSON.parse(body.trimStart())];
  } catch {
    return [];
  }
}

const firstOf = (texts: readonly string[]): string => texts.find((text) => text !== '') ?? '';

/** Far more than a bot may have; a mebibyte of entries would block the process. */
const mostEntries = 10 * limits.integrationsPerBot;

function readIntegrations(entries: readonly unknown[]): WrittenIntegrations {
  const all = entries.slice(0, mostEntries).flatMap((entry) => {
    const names = isNode(entry) ? [asText(entry['slug']), asText(entry['name'])] : [asText(entry)];
    return [...namedBy(names)].slice(0, 1);
  });
  return new Map([...firstWritten(all)].slice(0, limits.integrationsPerBot));
}

/**
 * What an HTML page says about itself in its machine-readable parts, unchanged. `meta` is keyed by lower-case
 * `property` or `name`; the first of each counts.
 */
export type PageMetadata = {
  readonly jsonLd: readonly string[];
  readonly meta: ReadonlyMap<string, string>;
  readonly title: string;
};

/** As in browsers. The parser's cost grows with depth, so deeper content is ignored. */
const deepestNesting = 512;

/**
 * Streams any text through the parser without building a tree: for one hostile mebibyte of nested elements, building
 * and querying a tree takes minutes.
 */
export function readPageMetadata(html: string): PageMetadata {
  const texts: Record<'jsonLd' | 'title', string[]> = { jsonLd: [], title: [] };
  const meta = new Map<string, string>();
  let depth = 0;
  let open: string[] | undefined;
  let pieces: string[] = [];

  const parser = new Parser({
    onopentag(name, { property, name: metaName, content, type }) {
      depth += 1;
      if (depth > deepestNesting) parser.pause();
      const key = (property ?? metaName)?.toLowerCase();
      if (name === 'meta' && key !== undefined && content !== undefined && !meta.has(key)) meta.set(key, content);
      if (name === 'title') open = texts.title;
      if (name === 'script' && type?.trim().toLowerCase() === 'application/ld+json') open = texts.jsonLd;
    },
    ontext(text) {
      if (open !== undefined) pieces.push(text);
    },
    onclosetag() {
      depth -= 1;
      open?.push(pieces.join(''));
      open = undefined;
      pieces = [];
    },
  });
  parser.end(html);
  return { jsonLd: texts.jsonLd, meta, title: texts.title[0] ?? '' };
}

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

/**
 * The JSON-LD nodes that may be the page's subject, the likeliest first. Pages also describe their site, breadcrumbs
 * and publisher, in any order, as lists, graphs or nested; only the subject's name may become a bot's name. Unreadable
 * blocks are skipped.
 */
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
