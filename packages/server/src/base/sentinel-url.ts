/**
 * The URL of a Redis whose primary is named by Sentinels, in lettuce's format:
 * `redis-sentinel://[[user]:password@]host[:port][,host[:port]…][/database][?sentinelPassword=…]#master`. User,
 * password and database are for the Redis servers; credentials for the Sentinels are in the query.
 */
import { accepted, refused, type Parsed } from './parsed.ts';
import { readUrl } from './read-url.ts';

/** The Sentinels' addresses and their name for the primary. `isSecure`: TLS to all of them. */
export type SentinelUrl = {
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  readonly master: string;
  readonly isSecure: boolean;
  readonly username: string;
  readonly password: string;
  readonly database: number;
  readonly sentinelUsername: string;
  readonly sentinelPassword: string;
};

const defaultPort = 26_379;
const shape = /^(rediss?)-sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/(\d{0,5}))?(?:\?([^#]*))?(?:#(.*))?$/i;
const queryNames = ['sentinelUsername', 'sentinelPassword'];

/** Whether a URL is meant for Sentinels. */
export const isSentinelUrl = (text: string): boolean => /^rediss?-sentinel:/i.test(text);

/** Parses such a URL. */
export const parseSentinelUrl = (text: string): Parsed<SentinelUrl> => {
  const [, scheme, credentials = '', hosts = '', database = '', query = '', fragment = ''] = shape.exec(text) ?? [];
  if (scheme === undefined) return refused('must be shaped redis-sentinel://host:26379,host:26379#master');
  const sentinels = hosts.split(',').map((host) => addressOf(host.trim()));
  if (!sentinels.every((address) => address !== undefined))
    return refused('must name Sentinels as host or host:port, separated by commas');
  const master = decoded(fragment);
  if (master === undefined || master === '')
    return refused('must end in # and what the Sentinels call the primary, such as #mymaster');
  const parameters = new URLSearchParams(query);
  if ([...parameters.keys()].some((name) => !queryNames.includes(name)))
    return refused(`may have the parameters ${queryNames.join(' and ')} only`);
  // As in every Redis URL, a single value before the @ is a password in lettuce's format, not a user name.
  const colon = credentials.indexOf(':');
  const [username, password] = [credentials.slice(0, Math.max(0, colon)), credentials.slice(colon + 1)].map(decoded);
  if (username === undefined || password === undefined) return refused('must escape user and password as URLs do');
  return accepted({
    sentinels,
    master,
    isSecure: scheme.toLowerCase() === 'rediss',
    username,
    password,
    database: Number(database),
    sentinelUsername: parameters.get('sentinelUsername') ?? '',
    sentinelPassword: parameters.get('sentinelPassword') ?? '',
  });
};

const addressOf = (text: string): { host: string; port: number } | undefined => {
  const url = /^(?:\[[^\]]+\]|[^:[\]\s]+)(?::\d{1,5})?$/.test(text) ? readUrl(`redis://${text}`) : undefined;
  if (url === undefined) return undefined;
  const { hostname, port } = url;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
};

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};
