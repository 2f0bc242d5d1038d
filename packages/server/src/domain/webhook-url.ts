/**
 * The canonical spelling of a webhook's URL (a webhook is found and removed by it), and the refusal of every URL that
 * cannot be on the public internet. The addresses of a name are checked in the lookup of each connection.
 */
import { limits } from '@bot-directory/contract';
import { getDomain } from 'tldts';
import { accepted, type Brand, type Parsed, readUrl, refused } from '../base/parsed.ts';
import { isPermitted, type Network, parseIp } from './ip-address.ts';
import { readHttpsUrl } from './links.ts';

/** A canonical https URL whose host may be called, as far as the URL alone shows. */
export type WebhookUrl = Brand<string, 'WebhookUrl'>;

/** `host` is the canonical host without its port; an IPv6 address is in brackets. */
export type WebhookTarget = { readonly url: WebhookUrl; readonly host: string };

/**
 * Last labels that are never on the public internet: IANA's special-use names (`arpa` for `home.arpa` and the reverse
 * names, https://www.iana.org/assignments/special-use-domain-names), `.internal`, and names that private networks use
 * instead. `example.com` and the like are ordinary hosts and are allowed.
 */
const privateLabels = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'lan',
  'home',
  'corp',
  'arpa',
  'test',
  'example',
  'invalid',
  'onion',
  'alt',
];

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const isWebhookUrl = (href: string): href is WebhookUrl => href.length <= limits.urlLength;

/**
 * Parses a URL. Addresses in `allowedNetworks` are exempt from the private-address rule. With such networks, names for
 * private use are accepted, since they may resolve to those: the lookup of each connection refuses other addresses.
 */
export function parseWebhookUrl(raw: string, allowedNetworks: readonly Network[]): Parsed<WebhookTarget> {
  const readable = readHttpsUrl(raw);
  if (!readable.ok) return readable;
  const url = readUrl(raw);
  if (url === undefined) return refused('The URL is malformed.');
  url.hash = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  const why = portFault(url.port) ?? hostFault(url.hostname, allowedNetworks);
  if (why !== undefined) return refused(why);
  if (!isWebhookUrl(url.href)) return refused(`The URL in canonical form is over ${limits.urlLength} characters long.`);
  return accepted({ url: url.href, host: url.hostname });
}

/** The parser returns the default port as `''`. */
const portFault = (port: string): string | undefined =>
  port === '' || Number(port) >= 1024 ? undefined : 'The port must be 443, or 1024 or above.';

/** The parser has turned every spelling of an IPv4 address into four octets, so literals are recognised. */
function hostFault(host: string, allowedNetworks: readonly Network[]): string | undefined {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (parseIp(address) === undefined) return nameFault(host, allowedNetworks.length > 0);
  return isPermitted(address, allowedNetworks) ? undefined : 'The address is private, local or reserved.';
}

function nameFault(name: string, mayBePrivate: boolean): string | undefined {
  const labels = name.split('.');
  if (labels.length < 2 && !mayBePrivate) return 'The host name needs a domain, such as hooks.acme.com.';
  if (name.length > 253 || !labels.every((part) => label.test(part))) return 'The host name is malformed.';
  return isSpecialUse(name) && !mayBePrivate ? 'The host name is for private or special use.' : undefined;
}

/** Whether a canonical host is a name, not an address, and can be on the public internet. */
export const isPublicName = (host: string): boolean =>
  parseIp(host) === undefined && nameFault(host, false) === undefined;

/** Whether a name is never on the public internet. */
export function isSpecialUse(name: string): boolean {
  const labels = name.split('.');
  return labels.length < 2 || privateLabels.includes(labels.at(-1)?.toLowerCase() ?? '');
}

/** The scheme, host and port of a canonical URL. */
export const originOf = (url: string): string => url.slice(0, url.indexOf('/', 'https://'.length));

/** Hosts of a platform (`x.github.io`) belong to its customers. Hosts are already canonical. */
const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };

/**
 * The registrable domain of a canonical host, by the Public Suffix List; the host itself if it has none, such as an
 * address. Its owner can have any number of names below it.
 */
export const registrableDomain = (host: string): string => getDomain(host, options) ?? host;

/** The registrable domain of an origin. */
export const domainOf = (origin: string): string =>
  registrableDomain(origin.slice('https://'.length).replace(/:\d+$/, ''));
