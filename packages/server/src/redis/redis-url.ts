/**
 * REDIS_URL: the URL of a Redis, those of the seeds of a Redis Cluster, or, in lettuce's format, that of a primary
 * named by Sentinels: `redis-sentinel://[[user]:password@]host[:port][,host[:port]…][/database][?sentinelPassword=…]#master`.
 * User, password and database are for the Redis servers; credentials for the Sentinels are in the query.
 *
 * Error messages never quote the URL, which may contain a password.
 */
import { accepted, type Parsed, readUrl, refused } from '../base/parsed.ts';

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
const sentinelShape = /^(rediss?)-sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/(\d{0,5}))?(?:\?([^#]*))?(?:#(.*))?$/i;
const queryNames = ['sentinelUsername', 'sentinelPassword'];

/**
 * Returns why the user name or the password of a URL would be misread: it has a character that means something in URLs.
 * They end at the last @, because what follows has none.
 */
const misread = (url: string, meaningful: RegExp): string | undefined => {
  const [, credentials = ''] = /^[\w-]+:\/\/(.*)@/s.exec(url) ?? [];
  const character = meaningful.exec(credentials)?.[0] ?? (decoded(credentials) === undefined ? '%' : undefined);
  return character === undefined ? undefined : writeEscaped(character);
};

const writeEscaped = (character: string): string =>
  `has ${character} in a user name or password: write it as ${encodeURIComponent(character)}`;

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Whether a URL is meant for Sentinels. */
export const isSentinelUrl = (text: string): boolean => /^rediss?-sentinel:/i.test(text);

/** Parses the URL of a primary named by Sentinels. */
export const parseSentinelUrl = (text: string): Parsed<SentinelUrl> => {
  const unless = (why: string) => refused(misread(text, /[/?#@]/) ?? why);
  const [, scheme, credentials = '', hosts = '', database = '', query = '', fragment = ''] =
    sentinelShape.exec(text) ?? [];
  if (scheme === undefined) return unless('must be shaped redis-sentinel://host:26379,host:26379#master');
  const sentinels = hosts.split(',').map((host) => addressOf(host.trim()));
  if (!sentinels.every((address) => address !== undefined))
    return unless('must name Sentinels as host or host:port, separated by commas');
  if (fragment.includes('#')) return refused(writeEscaped('#'));
  const master = decoded(fragment);
  if (master === undefined || master === '')
    return refused('must end in # and what the Sentinels call the primary, such as #mymaster');
  const parameters = new Map(query.split('&').map((parameter) => splitAtFirst(parameter, '=')));
  if (query !== '' && [...parameters.keys()].some((name) => !queryNames.includes(name)))
    return unless(`may have the parameters ${queryNames.join(' and ')} only: write & in a password as %26`);
  const [sentinelUsername, sentinelPassword] = queryNames.map((name) => decoded(parameters.get(name) ?? ''));
  // As in every Redis URL, a single value before the @ is a password in lettuce's format, not a user name.
  const [username, password] = (credentials.includes(':') ? splitAtFirst(credentials, ':') : ['', credentials]).map(
    decoded,
  );
  if (
    username === undefined ||
    password === undefined ||
    sentinelUsername === undefined ||
    sentinelPassword === undefined
  )
    return refused(writeEscaped('%'));
  return accepted({
    sentinels,
    master,
    isSecure: scheme.toLowerCase() === 'rediss',
    username,
    password,
    database: Number(database),
    sentinelUsername,
    sentinelPassword,
  });
};

const splitAtFirst = (text: string, separator: string): [string, string] => {
  const [first = '', ...rest] = text.split(separator);
  return [first, rest.join(separator)];
};

const addressOf = (text: string): { host: string; port: number } | undefined => {
  const url = /^(?:\[[^\]]+\]|[^:[\]\s]+)(?::\d{1,5})?$/.test(text) ? readUrl(`redis://${text}`) : undefined;
  if (url === undefined) return undefined;
  const { hostname, port } = url;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
};

/** Parses REDIS_URL into the URLs that it has. Commas in a Sentinel URL belong to it. */
export const parseRedisUrls = (text: string): Parsed<readonly string[]> => {
  if (isSentinelUrl(text)) {
    const sentinels = parseSentinelUrl(text);
    return sentinels.ok ? accepted([text]) : sentinels;
  }
  const urls = text.split(/\s*,\s*(?=rediss?:\/\/|$)/).filter((url) => url !== '');
  const why = urls.map((url) => misread(url, /[/?#,]/) ?? refusal(url)).find((reason) => reason !== undefined);
  if (why !== undefined) return refused(why);
  if (urls.length < 2) return accepted(urls);
  if (!urls.every((url) => /^\/?0?$/.test(new URL(url).pathname)))
    return refused('must not name a database of a Redis Cluster, which has only one');
  if (new Set(urls.map((url) => new URL(url).protocol)).size > 1)
    return refused('must begin every URL with redis://, or every one with rediss://');
  return accepted(urls);
};

/** Returns why a single URL is not that of a Redis. The client would take its parameters for options of its own. */
const refusal = (text: string): string | undefined => {
  const url = /^rediss?:\/\//.test(text) ? readUrl(text) : undefined;
  if (url === undefined || !/^(?:[\w.-]+|\[.+\])$/.test(url.hostname))
    return 'must be a URL that begins with redis://, rediss:// or redis-sentinel://, and then names a host';
  if (url.search !== '' || text.includes('?')) return 'must have no parameters: end it before the ?';
  if (text.includes('#')) return 'must have no # unless it begins with redis-sentinel:// or rediss-sentinel://';
  if (!/^\/?\d{0,5}$/.test(url.pathname)) return 'may end in / and the number of a database, such as /1';
  return undefined;
};
