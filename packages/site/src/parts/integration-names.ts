/** Names and marks of integrations. A URL and JSON have the slug: `google-search-console`. */
import { marks } from './marks.gen.ts';

/** Spellings that capitals alone do not give, of services without a mark. */
const otherNames =
  'ActiveCampaign ChatGPT ClickFunnels DocuSign FreshBooks GoDaddy HeyGen iMessage iOS macOS monday.com OpenAI ' +
  'SendGrid ServiceNow WordPress.com YouTrack';

/** Words of names that are written in capitals. */
const capitals = new Set(
  'ai api aws b2b cms crm csv dns erp ftp hr html http imap json kpi pdf pr seo sftp sms smtp sql tv url vpn xml'.split(
    ' ',
  ),
);

type Named = { readonly name: string; readonly shape: string | undefined };

/** Reduces a name to its slug without hyphens: writers disagree on those. */
const keyOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('&', 'and')
    .replaceAll('+', 'plus')
    .replaceAll('#', 'sharp')
    .replace(/[^a-z0-9]/g, '');

const known = new Map<string, Named>([
  ...otherNames.split(' ').map((name): [string, Named] => [keyOf(name), { name, shape: undefined }]),
  ...marks.map(([name, shape]): [string, Named] => [keyOf(name), { name, shape: shape || undefined }]),
]);

const knownOf = (slug: string): Named | undefined => known.get(slug.replaceAll('-', ''));

/**
 * Returns an integration's name, such as `Google Search Console` for `google-search-console`: its usual one, else
 * `written`, as people write it, else its words with capitals.
 */
export const integrationName = (slug: string, written?: string): string =>
  knownOf(slug)?.name ??
  written ??
  slug
    .split('-')
    .map((word) => (capitals.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(' ');

/** Returns the shape of an integration's mark, in a square of 24. */
export const markOf = (slug: string): string | undefined => knownOf(slug)?.shape;
