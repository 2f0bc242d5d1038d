/**
 * A post on the social platform, identified by its status id alone: the platform ignores the handle in a status URL.
 */
import { limits } from '@bot-directory/contract';

import { accepted, type Parsed, refused } from '../base/parsed.ts';
import { readHttpsUrl } from './https-url.ts';

/** The platform's host (`host[:port]`) and the other hosts that serve the same posts. */
export type SocialHosts = { readonly host: string; readonly aliases: readonly string[] };

/** A post's id and its canonical URL, `https://<host>/<handle>/status/<status id>`. */
export type StatusUrl = { readonly statusId: string; readonly url: string };

const handlePattern = `[A-Za-z0-9_]{1,${limits.authorLength}}`;
/** With leading zeros, one post would have several ids. */
const idPattern = `[1-9][0-9]{0,${limits.statusIdLength - 1}}`;
/** The tail names one picture of the post, as in `/photo/1`. */
const pathPattern = new RegExp(`^/(${handlePattern})/status/(${idPattern})(?:/[A-Za-z]+/[0-9]+)?/?$`);

/** Parses a status URL. `www.`, `mobile.`, aliases, tails such as `/photo/1`, query and fragment are folded. */
export function parseStatusUrl(raw: string, hosts: SocialHosts): Parsed<StatusUrl> {
  const url = readHttpsUrl(raw);
  if (!url.ok) return url;
  const host = hosts.host.toLowerCase();
  const [, handle, statusId] = pathPattern.exec(url.value.path) ?? [];
  if (handle === undefined || statusId === undefined || !spellingsOf(hosts).includes(url.value.authority)) {
    return refused(`A post URL has the form https://${host}/<handle>/status/<digits>.`);
  }
  return accepted({ statusId, url: `https://${host}/${handle}/status/${statusId}` });
}

const spellingsOf = ({ host, aliases }: SocialHosts): string[] =>
  [host, ...aliases].map((name) => name.toLowerCase()).flatMap((name) => [name, `www.${name}`, `mobile.${name}`]);
