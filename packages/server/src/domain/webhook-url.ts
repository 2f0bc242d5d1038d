/**
 * The canonical spelling of a webhook's URL (a webhook is found and removed by it), and the refusal of every URL that
 * cannot lead to the public internet. The addresses of a name are checked in the lookup of each connection.
 */
import { limits } from '@bot-directory/contract';

import type { Brand } from '../base/brand.ts';
import { accepted, type Parsed, refused } from '../base/parsed.ts';
import { readUrl } from '../base/read-url.ts';
import { readHttpsUrl } from './https-url.ts';
import { isPermitted, type Network, parseIp } from './ip-address.ts';

/** A canonical https URL whose host may be called, as far as the URL alone shows. */
export type WebhookUrl = Brand<string, 'WebhookUrl'>;

/** `host` is the canonical host without its port; an IPv6 address is in brackets. */
export type WebhookTarget = { readonly url: WebhookUrl; readonly host: string };

/**
 * Last labels that never lead to the public internet: IANA's special-use names (`arpa` for `home.arpa` and the reverse
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

/** Parses a URL. Addresses in `allowedNetworks` are exempt from the private-address rule. */
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
  if (parseIp(address) === undefined) return nameFault(host);
  return isPermitted(address, allowedNetworks) ? undefined : 'The address is private, local or reserved.';
}

function nameFault(name: string): string | undefined {
  const labels = name.split('.');
  if (labels.length < 2) return 'The host name needs a domain, such as hooks.acme.com.';
  if (name.length > 253 || !labels.every((part) => label.test(part))) return 'The host name is malformed.';
  return privateLabels.includes(labels.at(-1) ?? '') ? 'The host name is for private or special use.' : undefined;
}
