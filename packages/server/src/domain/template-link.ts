/**
 * A template link names one template of the template provider. Every accepted spelling of a link folds to one, so the
 * template id alone decides whether a bot is already in the directory.
 */
import { limits } from '@bot-directory/contract';

import type { Brand } from '../base/brand.ts';
import { accepted, type Parsed, refused } from '../base/parsed.ts';
import { readHttpsUrl } from './https-url.ts';

/** The provider's own id of a template; it is case-sensitive. */
export type TemplateId = Brand<string, 'TemplateId'>;

/** A template and the canonical link to it, `https://<template host>/bot/<template id>`. */
export type TemplateLink = { readonly templateId: TemplateId; readonly link: string };

/**
 * RFC 3986's unreserved characters: they need no percent-encoding, which would allow a second spelling, and cannot end
 * the path.
 */
const idPattern = new RegExp(`^[A-Za-z0-9._~-]{1,${limits.templateIdLength}}$`);

/** Whether a text can be a template's id. */
export const isTemplateId = (text: string): text is TemplateId => idPattern.test(text) && text !== '.' && text !== '..';

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
