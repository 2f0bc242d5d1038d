/**
 * Kinds of settings: what the text of each may be, and the value that it stands for. `config.ts` says which setting is
 * of which kind. The message of a refusal follows the setting's name.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { limits } from '@bot-directory/contract';
import { checkAccent } from '@bot-directory/site';
import { accepted, type Parsed, readUrl } from './base/parsed.ts';
import { parseDuration } from './base/time.ts';
import { parseRedisUrls } from './redis/redis-url.ts';
import { parseNetwork } from './domain/ip-address.ts';
import { type Categories, parseIntegration } from './domain/names.ts';

const isOrigin = (text: string): boolean => {
  const url = readUrl(text);
  if (url === undefined) return false;
  const { protocol, username, password } = url;
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(text);
};

const isProxy = (text: string): boolean =>
  ['loopback', 'linklocal', 'uniquelocal'].includes(text) || parseNetwork(text).ok;

/** What a parser accepts, in its canonical form. */
export const through = <T>(parse: (text: string) => Parsed<T>) =>
  z.string().transform((text, context): T => {
    const result = parse(text.trim());
    if (result.ok) return result.value;
    context.addIssue({ code: 'custom', message: result.why });
    return z.NEVER;
  });

const splitAtCommas = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Several values, separated by commas. */
export const list = <T>(element: z.ZodType<T, string>) => z.string().transform(splitAtCommas).pipe(z.array(element));

export const integer = (min: number, max: number) =>
  z
    .string()
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : NaN))
    .refine((number) => number >= min && number <= max, `must be a whole number from ${min} to ${max}`);

/** One of a few words. */
export const oneOf = <const Word extends string>(words: readonly [Word, ...Word[]]) =>
  z.enum(words, `must be one of ${words.join(', ')}`);

/** A duration such as `30s`, in milliseconds. */
export const duration = through(parseDuration);

/** A duration, or `0`. */
export const durationOrOff = through((text: string) => (text === '0' ? accepted(0) : parseDuration(text)));

/** A duration that is longer than 0. */
export const positiveDuration = duration.refine((ms) => ms > 0, 'must be longer than 0');

/** An http:// or https:// URL to whose end paths are added. */
export const origin = z
  .string()
  .refine(isOrigin, 'must be an http:// or https:// URL without credentials, query or fragment')
  // Normalised as in a header: host names in ASCII, everything else escaped.
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

/** Links on pages, and what feeds and problems name, begin at the root of the host. */
export const root = origin.refine(
  (text) => new URL(text).pathname === '/',
  'must be a host of its own: the pages are served at its root, so it has no path',
);

const isHost = (text: string): boolean =>
  /^[\w.-]+(:\d+)?$|^\[/.test(text) && readUrl(`https://${text}`)?.host === text;

/** A host name, in lower case. */
export const host = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine(isHost, 'must be a host name, without https:// or a path');

/** What a socket can listen on: an address, or a name that resolves to one. */
export const isInterface = (text: string): boolean =>
  text.includes(':') ? readUrl(`http://[${text}]`) !== undefined : isHost(text.toLowerCase());

/** The store's URLs, or `none` if there is to be no store. */
export const redisUrls = through((text) => (text === 'none' ? accepted<readonly string[]>([]) : parseRedisUrls(text)));

/** What keys begin with. A brace would take them to other slots of a Cluster, away from each other. */
export const keyPrefix = z.string().regex(/^[\w.:-]{1,64}$/, 'must have at most 64 letters, digits and -_.:');

/** The name of a server in its certificate. */
export const serverName = z.string().regex(/^(?:[\w-]+\.)*[\w-]*[a-z][\w-]*$/i, 'must be a host name, without a port');

/** Reads the file that a setting names. `check` throws if it has no `what`. Messages do not repeat the path. */
const pemFile = (what: string, check: (pem: string) => unknown) =>
  z.string().transform((file, context): string => {
    let message = 'must name a file that can be read';
    try {
      const pem = readFileSync(file, 'utf8');
      message = `must name a file with ${what} in PEM`;
      check(pem);
      return pem;
    } catch {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  });

/** One certificate or several. Anything between them is a comment. */
export const certificates = pemFile('certificates', (pem) => {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [''];
  return found.map((one) => new X509Certificate(one));
});

export const privateKey = pemFile('a private key without a passphrase', createPrivateKey);

/** Whether a private key is that of the first certificate. */
export const isKeyOf = (key: string, cert: string): boolean =>
  new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));

/** A port, or an address with a port. */
export const address = z.string().transform((text, context) => {
  const [, given = '0.0.0.0', port] = /^(?:(\[.+\]|[^:]+):)?(\d{1,5})$/.exec(text) ?? [];
  const host = given.replace(/^\[(.*)\]$/, '$1');
  if (port !== undefined && Number(port) <= 65_535 && isInterface(host)) return { host, port: Number(port) };
  context.addIssue({ code: 'custom', message: 'must be a port, or an address such as 127.0.0.1:9464' });
  return z.NEVER;
});

/** How many in which time, or `off`. */
export const rate = z.string().transform((text, context) => {
  const [, limit, window] = /^(\d{1,9})(?:\/([^/]+))?$/.exec(text) ?? [];
  if (Number(limit) === 0) return 'off';
  const windowMs = positiveDuration.safeParse(window);
  if (windowMs.success) return { limit: Number(limit), windowMs: windowMs.data };
  context.addIssue({ code: 'custom', message: 'must be a rate such as 600/1m, or 0 for no limit' });
  return z.NEVER;
});

/** Names of categories; `new=old` for one that has had another name. */
export const categories = list(
  z.string().regex(/^[^=]{1,50}(=[^=]{1,50})*$/, 'must name categories of at most 50 characters'),
)
  .transform((entries): Categories => {
    const split = entries.map((entry) => entry.split('=').map((name) => name.trim()));
    const former = split.flatMap(([name = '', ...before]) => before.map((old) => [old, name] as const));
    return Object.assign(
      split.map(([name = '']) => name),
      former.length === 0 ? {} : { former: new Map(former) },
    );
  })
  .refine((names) => {
    const all = [...names, ...(names.former?.keys() ?? [])];
    return names.length > 0 && new Set(all.map((name) => name.toLowerCase())).size === all.length;
  }, 'must name at least one category, and each only once');

/** Words of categories: `SEO=ranking keyword,Finance=invoice`. */
export const categoryWords = list(
  z.string().regex(/^[^=]+=[^=]+$/, 'must be shaped Category=word word, separated by commas'),
).transform((pairs): Readonly<Record<string, string>> =>
  Object.fromEntries(pairs.map((pair) => pair.split('=', 2).map((part) => part.trim()) as [string, string])),
);

/** A line of text as pages show it. */
export const words = (max: number) =>
  z
    .string()
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'must be one line of text');

/** Names of integrations, as pages are to show them, by slug. */
export const integrationNames = list(
  words(limits.integrationLength).transform((name, context): [string, string] => {
    const parsed = parseIntegration(name);
    if (parsed.ok) return [parsed.value, name];
    context.addIssue({ code: 'custom', message: 'must be names of integrations, separated by commas' });
    return z.NEVER;
  }),
).transform((names): ReadonlyMap<string, string> => new Map(names));

/** `mailto:` or `https:`. */
export const contact = z
  .string()
  .transform((text) => (/^[^\s@:/]+@[^\s@/]+$/.test(text) ? `mailto:${text}` : text))
  .refine(
    (text) => /^mailto:[^\s@?]+@[^\s@?]+$/.test(text) || (/^https:\/\/\S+$/.test(text) && readUrl(text) !== undefined),
    'must be an e-mail address or an https:// address',
  );

/** A color in which text can be read. */
export const accent = z
  .string()
  .transform((text) => text.toLowerCase())
  .superRefine((text, context) => {
    const checked = checkAccent(text);
    if (!checked.ok) context.addIssue({ code: 'custom', message: checked.why });
  });

/** As Express's `trust proxy`. */
export const trustProxy = z
  .string()
  .transform((text) =>
    text === 'true' || text === 'false' ? text === 'true' : /^\d{1,3}$/.test(text) ? Number(text) : text,
  )
  .refine(
    (value) => typeof value !== 'string' || value.split(',').every((part) => isProxy(part.trim())),
    'must be true, a number of hops, or addresses, networks, loopback, linklocal, uniquelocal',
  );

/** OpenTelemetry's `key=value,key=value`, whose values are percent-encoded. */
export const resourceAttributes = list(z.string().regex(/^[^=\s]+=/, 'must be shaped key=value,key=value')).transform(
  (pairs, context): Readonly<Record<string, string>> => {
    try {
      return Object.fromEntries(
        pairs.map((pair) => {
          const [key = '', ...value] = pair.split('=');
          return [key.trim(), decodeURIComponent(value.join('=').trim())];
        }),
      );
    } catch {
      context.addIssue({ code: 'custom', message: 'must have % only in percent-encoded letters: write %25' });
      return z.NEVER;
    }
  },
);
