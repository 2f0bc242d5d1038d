/**
 * What the template provider's response says about a template: a JSON object, or the metadata of an HTML page. Hostile
 * responses give a shorter result or none; nothing here throws. The fetcher checks status, size and time.
 */
import { limits } from '@bot-directory/contract';
import * as z from 'zod';

import { displayText } from './display-text.ts';
import { type IntegrationSlug, parseIntegration } from './integrations.ts';
import { jsonLdSubjects } from './json-ld.ts';
import { readPageMetadata } from './page-metadata.ts';

/** A template as the provider describes it, cleaned and cut to the directory's limits. */
export type TemplatePage = {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly integrations: IntegrationSlug[];
};

const text = z.string().catch('');
const list = z.array(z.unknown()).catch([]);
const statementSchema = z.object({ name: text, description: text, integrations: list, connectors: list });
const connectorSchema = z.union([
  z.string().transform((name) => [name]),
  z.object({ slug: text, name: text }).transform(({ slug, name }) => [slug, name]),
]);

/** One source's description of the template; a page may have several, the most trusted first. */
type Statement = z.infer<typeof statementSchema>;

/**
 * The template that a response describes, or `undefined` if it is unreadable: neither JSON nor HTML, or without a name.
 */
export function readTemplatePage(contentType: string | undefined, body: string): TemplatePage | undefined {
  const statements = readStatements(contentType, body);
  const name = firstText(
    statements.map((statement) => statement.name),
    limits.nameLength,
  );
  if (name === '') return undefined;
  const description = firstText(
    statements.map((statement) => statement.description),
    limits.descriptionLength,
  );
  const lists = statements.flatMap(({ integrations, connectors }) => [integrations, connectors]);
  return { name, description, integrations: readIntegrations(lists.find((entries) => entries.length > 0) ?? []) };
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
    .find(({ name }) => firstText([name], limits.nameLength));
  return [subject ?? {}, openGraph, head].flatMap(asStatement);
}

function asStatement(value: unknown): Statement[] {
  const { data } = statementSchema.safeParse(value);
  return data === undefined ? [] : [data];
}

function parseJson(body: string): unknown[] {
  try {
    // trimStart also removes a byte order mark, which JSON.parse refuses.
    return [JSON.parse(body.trimStart())];
  } catch {
    return [];
  }
}

const firstText = (texts: readonly string[], longest: number): string =>
  texts.map((raw) => displayText(raw, longest)).find((clean) => clean !== '') ?? '';

/** Far more than a template uses; a mebibyte of entries would block the process for seconds. */
const mostEntries = 1_000;

function readIntegrations(entries: readonly unknown[]): IntegrationSlug[] {
  const slugs = entries.slice(0, mostEntries).flatMap((entry) => {
    const spellings = connectorSchema.safeParse(entry).data ?? [];
    const readable = spellings.map(parseIntegration).find((parsed) => parsed.ok);
    return readable === undefined ? [] : [readable.value];
  });
  return [...new Set(slugs)].slice(0, limits.integrationsPerBot);
}
