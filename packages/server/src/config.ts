/**
 * Environment → Config. The only file that reads the environment. Every setting is checked here, at start; a bad value
 * is a ConfigError that names the setting. The table of settings is in docs/OPERATIONS.md.
 */
import * as z from 'zod';
import { limits } from '@bot-directory/contract';
import { checkAccent } from '@bot-directory/site';
import { parseDuration } from './base/duration.ts';
import type { LogLevel } from './base/log.ts';
import { accepted, refused, type Parsed } from './base/parsed.ts';
import { readUrl } from './base/read-url.ts';
import { isSentinelUrl, parseSentinelUrl } from './base/sentinel-url.ts';
import { defaultCategories } from './domain/categories.ts';
import { parseNetwork, type Network } from './domain/ip-address.ts';
import { parseSigningKey, type SigningKey } from './domain/signature.ts';

export type Role = 'web' | 'worker' | 'all';

/** All settings. Durations are in milliseconds. */
export type Config = {
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /**
   * Empty: saving is not configured. Several: the seeds of a Redis Cluster. A single one may name Sentinels: see
   * `base/sentinel-url.ts`.
   */
  readonly redisUrls: readonly string[];
  readonly template: { readonly host: string; readonly origin: string };
  readonly social: { readonly host: string; readonly aliases: readonly string[] };
  readonly categories: readonly string[];
  readonly site: {
    readonly name: string;
    readonly description: string;
    /** `mailto:` or `https:`. */
    readonly contact: string | undefined;
    /** `#rrggbb`, with enough contrast. */
    readonly accent: string | undefined;
  };
  readonly webhook: {
    readonly timeoutMs: number;
    readonly retryDelaysMs: readonly number[];
    readonly leaseMs: number;
    readonly allowedNetworks: readonly Network[];
    readonly signingKeys: readonly SigningKey[];
    readonly perHost: number;
    readonly perDomain: number;
  };
  /** `undefined`: off. */
  readonly writeRateLimit: { readonly limit: number; readonly windowMs: number } | undefined;
  /** As in Express's `trust proxy`. */
  readonly trustProxy: boolean | number | string;
  readonly http: {
    /** The time in which a whole request must arrive. */
    readonly requestTimeoutMs: number;
    /** How long an idle connection is kept for its next request. */
    readonly keepAliveTimeoutMs: number;
    /** The most connections from one address that `trustProxy` does not trust; 0 for no limit. */
    readonly connectionsPerAddress: number;
    /** How long a stopping process goes on accepting requests while `/readyz` is 503. */
    readonly shutdownDelayMs: number;
  };
  /** Where `/metrics` is served instead of on the public address. */
  readonly metricsAddress: { readonly host: string; readonly port: number } | undefined;
  /** How many successful attempts are logged at `info` per second; the others are logged at `debug`. */
  readonly attemptLogRate: number;
  /** Where OpenTelemetry traces are sent; undefined turns tracing off. */
  readonly otlpEndpoint: string | undefined;
  /** How many replicas must have a write before it is acknowledged. */
  readonly writeReplicas: number;
  /** New bots wait for the operator before they are listed. */
  readonly approveFirst: boolean;
  readonly role: Role;
  readonly logLevel: LogLevel;
};

/** A setting that cannot be used; the message names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const isOrigin = (text: string): boolean => {
  const url = readUrl(text);
  if (url === undefined) return false;
  const { protocol, username, password } = url;
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(text);
};

const isProxy = (text: string): boolean =>
  ['loopback', 'linklocal', 'uniquelocal'].includes(text) || parseNetwork(text).ok;

/** Settings by their names, as the environment has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const through = <T>(parse: (text: string) => Parsed<T>) =>
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

const list = <T>(element: z.ZodType<T, string>) => z.string().transform(splitAtCommas).pipe(z.array(element));

const integer = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max));
const duration = through(parseDuration);
const positiveDuration = duration.refine((ms) => ms > 0, 'must be longer than 0');
const origin = z
  .string()
  .refine(isOrigin, 'must be an http:// or https:// URL without credentials, query or fragment')
  // Normalised as in a header: host names in ASCII, everything else escaped.
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));
/** Links on pages, and what feeds and problems name, begin at the root of the host. */
const root = origin.refine(
  (text) => new URL(text).pathname === '/',
  'must be a host of its own: the pages are served at its root, so it has no path',
);
const isHost = (text: string): boolean =>
  /^[\w.-]+(:\d+)?$|^\[/.test(text) && readUrl(`https://${text}`)?.host === text;
const host = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine(isHost, 'must be a host name, without https:// or a path');
/** What a socket can listen on: an address, or a name that leads to one. */
const isInterface = (text: string): boolean =>
  text.includes(':') ? readUrl(`http://[${text}]`) !== undefined : isHost(text.toLowerCase());
/** Commas in a Sentinel URL belong to it; in other values they separate the seeds of a Cluster. */
const redisUrls = through((text): Parsed<readonly string[]> => {
  if (isSentinelUrl(text)) {
    const sentinels = parseSentinelUrl(text);
    return sentinels.ok ? accepted([text]) : sentinels;
  }
  const urls = splitAtCommas(text);
  if (!urls.every((url) => /^rediss?:\/\/[^/]/.test(url) && readUrl(url) !== undefined))
    return refused('must be a URL that begins with redis://, rediss:// or redis-sentinel://');
  if (urls.length === 1 && !/^\/?\d{0,5}$/.test(new URL(urls.join('')).pathname))
    return refused('may end in / and the number of a database, such as /1');
  if (urls.length > 1 && !urls.every((url) => /^\/?0?$/.test(new URL(url).pathname)))
    return refused('must not name a database of a Redis Cluster, which has only one');
  return accepted(urls);
});
const address = z.string().transform((text, context) => {
  const [, given = '0.0.0.0', port] = /^(?:(\[.+\]|[^:]+):)?(\d{1,5})$/.exec(text) ?? [];
  const host = given.replace(/^\[(.*)\]$/, '$1');
  if (port !== undefined && Number(port) <= 65_535 && isInterface(host)) return { host, port: Number(port) };
  context.addIssue({ code: 'custom', message: 'must be a port, or an address such as 127.0.0.1:9464' });
  return z.NEVER;
});
const rate = z.string().transform((text, context) => {
  const [, limit, window] = /^(\d{1,9})(?:\/([^/]+))?$/.exec(text) ?? [];
  if (Number(limit) === 0) return 'off';
  const windowMs = positiveDuration.safeParse(window);
  if (windowMs.success) return { limit: Number(limit), windowMs: windowMs.data };
  context.addIssue({ code: 'custom', message: 'must be a rate such as 600/1m, or 0 for no limit' });
  return z.NEVER;
});
const categories = list(z.string().max(50)).refine(
  (names) => names.length > 0 && new Set(names.map((name) => name.toLowerCase())).size === names.length,
  'must name at least one category, and each only once',
);
/** A line of text as pages show it. */
const words = (max: number) =>
  z
    .string()
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'must be one line of text');
const contact = z
  .string()
  .transform((text) => (/^[^\s@:/]+@[^\s@/]+$/.test(text) ? `mailto:${text}` : text))
  .refine(
    (text) => /^mailto:[^\s@?]+@[^\s@?]+$/.test(text) || (/^https:\/\/\S+$/.test(text) && readUrl(text) !== undefined),
    'must be an e-mail address or an https:// address',
  );
const accent = z
  .string()
  .transform((text) => text.toLowerCase())
  .superRefine((text, context) => {
    const checked = checkAccent(text);
    if (!checked.ok) context.addIssue({ code: 'custom', message: checked.why });
  });
const trustProxy = z
  .string()
  .transform((text) =>
    text === 'true' || text === 'false' ? text === 'true' : /^\d{1,3}$/.test(text) ? Number(text) : text,
  )
  .refine(
    (value) => typeof value !== 'string' || value.split(',').every((part) => isProxy(part.trim())),
    'must be true, a number of hops, or addresses, networks, loopback, linklocal, uniquelocal',
  );

const settings = z
  .object({
    HOST: z
      .string()
      .refine(isInterface, 'must be an address, such as 127.0.0.1 or ::, or a host name')
      .default('0.0.0.0'),
    PORT: integer(0, 65_535).default(3_000),
    BASE_URL: root.optional(),
    REDIS_URL: redisUrls.default([]),
    TEMPLATE_HOST: host,
    TEMPLATE_ORIGIN: origin.optional(),
    SOCIAL_HOST: host.default('x.com'),
    SOCIAL_HOST_ALIASES: list(host).default([]),
    BOT_CATEGORIES: categories.default([...defaultCategories]),
    SITE_NAME: words(60).default('Bot Directory'),
    SITE_DESCRIPTION: words(200).default('A public directory of bot templates, open to everyone.'),
    SITE_CONTACT: contact.optional(),
    SITE_ACCENT: accent.optional(),
    WEBHOOK_TIMEOUT: positiveDuration.default(10_000),
    WEBHOOK_RETRY_DELAYS: list(duration)
      .refine((delays) => delays.length === limits.failuresInARow - 1, `must name ${limits.failuresInARow - 1} delays`)
      .default([5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000]),
    WEBHOOK_LEASE: duration.optional(),
    WEBHOOK_ALLOWED_NETWORKS: list(through(parseNetwork)).default([]),
    WEBHOOK_SIGNING_KEY: list(through(parseSigningKey)).default([]),
    WEBHOOKS_PER_HOST: integer(1, 10_000_000).default(limits.webhooksPerHost),
    WEBHOOKS_PER_DOMAIN: integer(1, 10_000_000).default(5_000),
    WRITE_RATE_LIMIT: rate.default({ limit: 600, windowMs: 60_000 }),
    TRUST_PROXY: trustProxy.default(false),
    REQUEST_TIMEOUT: positiveDuration.default(30_000),
    KEEP_ALIVE_TIMEOUT: positiveDuration.default(620_000),
    CONNECTIONS_PER_ADDRESS: integer(0, 1_000_000).default(1_000),
    SHUTDOWN_DELAY: duration.default(5_000),
    METRICS_ADDRESS: address.optional(),
    ATTEMPT_LOG_RATE: integer(0, 1_000_000).default(100),
    OTEL_EXPORTER_OTLP_ENDPOINT: origin.optional(),
    WRITE_REPLICAS: integer(0, 100).default(0),
    APPROVE_FIRST: z.enum(['true', 'false']).default('false'),
    ROLE: z.enum(['web', 'worker', 'all']).default('all'),
    LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  })
  .superRefine((s, context) => {
    if (s.WEBHOOK_LEASE !== undefined && s.WEBHOOK_LEASE < 2 * s.WEBHOOK_TIMEOUT) {
      context.addIssue({ code: 'custom', path: ['WEBHOOK_LEASE'], message: 'must be at least twice WEBHOOK_TIMEOUT' });
    }
    if (s.ROLE === 'worker' && s.REDIS_URL.length === 0) {
      context.addIssue({ code: 'custom', path: ['REDIS_URL'], message: 'is required by ROLE=worker' });
    }
  });

/** Every setting that there is. */
export const settingNames: readonly string[] = Object.keys(settings.shape);

/** Checks the environment. Empty values count as unset. Throws ConfigError naming every bad setting. */
export const readConfig = (environment: Environment = process.env): Config => toConfig(check(settings, environment));

/** The settings that the operator's command line needs. Throws ConfigError. */
export const readOperatorConfig = (
  environment: Environment = process.env,
): { readonly redisUrls: readonly string[]; readonly baseUrl: string | undefined } => {
  const { REDIS_URL, BASE_URL } = check(
    z.object({ REDIS_URL: settings.shape.REDIS_URL, BASE_URL: settings.shape.BASE_URL }),
    environment,
  );
  return { redisUrls: REDIS_URL, baseUrl: BASE_URL };
};

const check = <T>(schema: z.ZodType<T>, environment: Environment): T => {
  const given = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || value.trim() === '' ? [] : [[name, value.trim()]],
    ),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    (issue) => `${String(issue.path[0])} ${given[String(issue.path[0])] === undefined ? 'is required' : issue.message}`,
  );
  throw new ConfigError(problems.join('; '));
};

const toConfig = (s: z.output<typeof settings>): Config => ({
  host: s.HOST,
  port: s.PORT,
  baseUrl: s.BASE_URL ?? `http://localhost:${s.PORT}`,
  redisUrls: s.REDIS_URL,
  template: { host: s.TEMPLATE_HOST, origin: s.TEMPLATE_ORIGIN ?? `https://${s.TEMPLATE_HOST}` },
  social: { host: s.SOCIAL_HOST, aliases: s.SOCIAL_HOST_ALIASES },
  categories: s.BOT_CATEGORIES,
  site: {
    name: s.SITE_NAME,
    description: s.SITE_DESCRIPTION,
    contact: s.SITE_CONTACT,
    accent: s.SITE_ACCENT,
  },
  webhook: {
    timeoutMs: s.WEBHOOK_TIMEOUT,
    retryDelaysMs: s.WEBHOOK_RETRY_DELAYS,
    leaseMs: s.WEBHOOK_LEASE ?? Math.max(30_000, 3 * s.WEBHOOK_TIMEOUT),
    allowedNetworks: s.WEBHOOK_ALLOWED_NETWORKS,
    signingKeys: s.WEBHOOK_SIGNING_KEY,
    perHost: s.WEBHOOKS_PER_HOST,
    perDomain: s.WEBHOOKS_PER_DOMAIN,
  },
  writeRateLimit: s.WRITE_RATE_LIMIT === 'off' ? undefined : s.WRITE_RATE_LIMIT,
  trustProxy: s.TRUST_PROXY,
  http: {
    requestTimeoutMs: s.REQUEST_TIMEOUT,
    keepAliveTimeoutMs: s.KEEP_ALIVE_TIMEOUT,
    connectionsPerAddress: s.CONNECTIONS_PER_ADDRESS,
    shutdownDelayMs: s.SHUTDOWN_DELAY,
  },
  metricsAddress: s.METRICS_ADDRESS,
  attemptLogRate: s.ATTEMPT_LOG_RATE,
  otlpEndpoint: s.OTEL_EXPORTER_OTLP_ENDPOINT,
  writeReplicas: s.WRITE_REPLICAS,
  approveFirst: s.APPROVE_FIRST === 'true',
  role: s.ROLE,
  logLevel: s.LOG_LEVEL,
});
