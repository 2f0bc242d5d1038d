/**
 * The links and handles that callers send: a template at its provider, a post on the social platform, an author. Every
 * accepted spelling folds to one, so equal things are equal texts.
 */
import { limits } from '@bot-directory/contract';
import { accepted, type Brand, type Parsed, refused } from '../base/parsed.ts';
import { refusedUnseen } from './unseen.ts';

/** The raw parts of an https URL, neither decoded nor resolved. `authority` is `host[:port]` in lower case. */
export type HttpsUrl = { readonly authority: string; readonly path: string };

const parts = /^https:\/\/([^/?#]+)([^?#]*)/i;

/**
 * Splits an https URL of bounded length that has no credentials, white space, control characters, backslashes, or
 * characters that nobody sees. It reads the raw text, because the WHATWG parser strips tabs and line breaks, turns
 * backslashes into slashes and resolves dot segments, so other spellings could pass for the documented one.
 */
export function readHttpsUrl(raw: string): Parsed<HttpsUrl> {
  if (raw.length > limits.urlLength) return refused(`A URL is at most ${limits.urlLength} characters long.`);
  const unseen = refusedUnseen(raw);
  if (unseen !== undefined) return unseen;
  if (/[\s\p{Cc}\\]/u.test(raw)) return refused('A URL holds no white space, control character or backslash.');
  const [, authority, path] = parts.exec(raw) ?? [];
  if (authority === undefined || path === undefined) return refused('The URL must begin with https:// and a host.');
  if (authority.includes('@')) return refused('The URL must not hold a user name or password.');
  return accepted({ authority: authority.toLowerCase(), path });
}

/** The provider's own id of a template; it is case-sensitive, and alone decides whether a bot is already listed. */
export type TemplateId = Brand<string, 'TemplateId'>;

/** A template and the canonical link to it, `https://<template host>/bot/<template id>`. */
export type TemplateLink = { readonly templateId: TemplateId; readonly link: string };

/**
 * RFC 3986's unreserved characters: they need no percent-encoding, which would allow a second spelling, and cannot end
 * the path.
 */
const templateIdPattern = new RegExp(`^[A-Za-z0-9._~-]{1,${limits.templateIdLength}}$`);

/** Whether a text can be a template's id. */
export const isTemplateId = (text: string): text is TemplateId =>
  templateIdPattern.test(text) && text !== '.' && text !== '..';

/** Parses a link on `templateHost` (`host[:port]`). Host case, a final slash, query and fragment are folded. */
export function parseTemplateLink(raw: string, templateHost: string): Parsed<TemplateLink> {
  const url = readHttpsUrl(raw);
  if (!url.ok) return url;
  const host = templateHost.toLowerCase();
  const [, templateId] = /^\/bot\/([^/]+)\/?$/.exec(url.value.path) ?? [];
  if (url.value.authority !== host || templateId === undefined || !isTemplateId(templateId)) {
    return refused(`A template link has the form https://${host}/bot/<template id>.`);
  }
  return accepted({ templateId, link: `https://${host}/bot/${templateId}` });
}

/** The platform's host (`host[:port]`) and the other hosts that serve the same posts. */
export type SocialHosts = { readonly host: string; readonly aliases: readonly string[] };

/**
 * A post's id and its canonical URL, `https://<host>/<handle>/status/<status id>`. The id alone identifies a post,
 * since the platform ignores the handle.
 */
export type StatusUrl = { readonly statusId: string; readonly url: string };

const handlePattern = `[A-Za-z0-9_]{1,${limits.authorLength}}`;
/** With leading zeros, one post would have several ids. */
const statusIdPattern = `[1-9][0-9]{0,${limits.statusIdLength - 1}}`;
/** The tail names one picture of the post, as in `/photo/1`. */
const postPathPattern = new RegExp(`^/(${handlePattern})/status/(${statusIdPattern})(?:/[A-Za-z]+/[0-9]+)?/?$`);

/** The status id of a canonical status URL. */
export const statusOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

/**
 * The handle in a canonical status URL, in lower case and without `@`. It is empty for `/i/status/…`, the address of a
 * post without its author.
 */
export const handleOf = (url: string): string => {
  const handle = (url.split('/', 4)[3] ?? '').toLowerCase();
  return handle === 'i' ? '' : handle;
};

/** Parses a status URL. `www.`, `mobile.`, aliases, tails such as `/photo/1`, query and fragment are folded. */
export function parseStatusUrl(raw: string, hosts: SocialHosts): Parsed<StatusUrl> {
  const url = readHttpsUrl(raw);
  if (!url.ok) return url;
  const host = hosts.host.toLowerCase();
  const [, handle, statusId] = postPathPattern.exec(url.value.path) ?? [];
  if (handle === undefined || statusId === undefined || !spellingsOf(hosts).includes(url.value.authority)) {
    return refused(`A post URL has the form https://${host}/<handle>/status/<digits>.`);
  }
  return accepted({ statusId, url: `https://${host}/${handle}/status/${statusId}` });
}

const spellingsOf = ({ host, aliases }: SocialHosts): string[] =>
  [host, ...aliases].map((name) => name.toLowerCase()).flatMap((name) => [name, `www.${name}`, `mobile.${name}`]);

/** A handle on the social platform with its `@`, in its owner's spelling, such as `@ada_l`. */
export type Author = Brand<string, 'Author'>;

const authorPattern = new RegExp(`^@${handlePattern}$`);

const isAuthor = (text: string): text is Author => authorPattern.test(text);

/** Parses a handle, given with or without its `@`. */
export function parseAuthor(raw: string): Parsed<Author> {
  const author = raw.startsWith('@') ? raw : `@${raw}`;
  if (isAuthor(author)) return accepted(author);
  return (
    refusedUnseen(raw) ??
    refused(`A handle has 1 to ${limits.authorLength} letters, digits or underscores, with or without an @.`)
  );
}
