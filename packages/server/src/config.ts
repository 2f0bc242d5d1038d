/**
 * Environment → Config. The only file that reads the environment. Every setting is checked here, at start; a bad value
 * is a ConfigError that names the setting. The table of settings is in docs/SETTINGS.md.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { limits, webhookFormats, type WebhookFormat } from '@bot-directory/contract';
import { defaultCategoryWords } from './domain/category-words.ts';
import { defaultCategories } from './domain/names.ts';
import { expectedFormat, formatFault } from './domain/format.ts';
import { parseNetwork, type Network } from './domain/ip-address.ts';
import type { OperatorWebhook } from './domain/notice.ts';
import { parseWebhookUrl } from './domain/webhook-url.ts';
import type { RedisTls } from './redis/connect.ts';
import { parseSigningKey } from './domain/signature.ts';
import * as kinds from './setting-kinds.ts';
import { settingLike } from './setting-names.ts';

/** All settings. Durations are in milliseconds. */
export type Config = ReturnType<typeof toConfig>;

/** What the operator's command line needs of it. */
export type OperatorConfig = Pick<Config, 'redisUrls' | 'redisTls' | 'redisKeyPrefix' | 'social' | 'categories'> & {
  /** The user who became root by `sudo`. */
  readonly sudoUser: string | undefined;
  /** A warning, if the settings of the machine lead to another store. */
  readonly warning: string | undefined;
};

/** A setting that cannot be used; the message names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Settings by their names, as the environment has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What server and command line need to reach the store. */
const storeSettings = z.object({
  REDIS_URL: kinds.redisUrls.optional(),
  REDIS_KEY_PREFIX: kinds.keyPrefix.default(''),
  REDIS_TLS_CA_FILE: kinds.certificates.optional(),
  REDIS_TLS_CERT_FILE: kinds.certificates.optional(),
  REDIS_TLS_KEY_FILE: kinds.privateKey.optional(),
  REDIS_TLS_SERVERNAME: kinds.serverName.optional(),
});
type StoreSettings = z.output<typeof storeSettings>;

const checkTls = (s: StoreSettings, context: z.RefinementCtx): void => {
  const refuse = (name: keyof StoreSettings, message: string): void =>
    context.addIssue({ code: 'custom', path: [name], message });
  const { REDIS_URL: [url = 'rediss:'] = [], REDIS_TLS_CERT_FILE: cert, REDIS_TLS_KEY_FILE: key } = s;
  if (cert !== undefined && key === undefined) refuse('REDIS_TLS_CERT_FILE', 'must come with REDIS_TLS_KEY_FILE');
  if (key !== undefined && cert === undefined) refuse('REDIS_TLS_KEY_FILE', 'must come with REDIS_TLS_CERT_FILE');
  if (cert !== undefined && key !== undefined && !kinds.isKeyOf(key, cert))
    refuse('REDIS_TLS_KEY_FILE', 'must be the key of the certificate in REDIS_TLS_CERT_FILE');
  const [unused] = tlsNames.filter((name) => s[name] !== undefined);
  if (unused !== undefined && !/^rediss/i.test(url))
    refuse(unused, 'must not be set unless REDIS_URL begins with rediss:// or rediss-sentinel://');
};

const tlsNames = ['REDIS_TLS_CA_FILE', 'REDIS_TLS_CERT_FILE', 'REDIS_TLS_KEY_FILE', 'REDIS_TLS_SERVERNAME'] as const;

const tlsOf = (s: StoreSettings): RedisTls | undefined =>
  tlsNames.every((name) => s[name] === undefined)
    ? undefined
    : {
        ...(s.REDIS_TLS_CA_FILE === undefined ? {} : { ca: s.REDIS_TLS_CA_FILE }),
        ...(s.REDIS_TLS_CERT_FILE === undefined ? {} : { cert: s.REDIS_TLS_CERT_FILE }),
        ...(s.REDIS_TLS_KEY_FILE === undefined ? {} : { key: s.REDIS_TLS_KEY_FILE }),
        ...(s.REDIS_TLS_SERVERNAME === undefined ? {} : { servername: s.REDIS_TLS_SERVERNAME }),
      };

type OperatorSettings = {
  readonly OPERATOR_WEBHOOK?: string | undefined;
  readonly OPERATOR_WEBHOOK_FORMAT?: WebhookFormat | 'json' | undefined;
  readonly WEBHOOK_ALLOWED_NETWORKS: readonly Network[];
};

/** Where the operator is notified, or which setting cannot be used, and why. */
const operatorWebhookOf = ({
  OPERATOR_WEBHOOK: raw,
  OPERATOR_WEBHOOK_FORMAT: given,
  WEBHOOK_ALLOWED_NETWORKS: networks,
}: OperatorSettings): { webhook?: OperatorWebhook; fault?: { name: keyof OperatorSettings; message: string } } => {
  if (raw === undefined) return {};
  const target = parseWebhookUrl(raw, networks);
  if (!target.ok)
    return { fault: { name: 'OPERATOR_WEBHOOK', message: `must be a URL that may be called: ${target.why}` } };
  const { url } = target.value;
  const format = given === undefined ? expectedFormat(url) : given === 'json' ? undefined : given;
  const fault = formatFault(url, format);
  if (fault === undefined) return { webhook: { url, format } };
  const name = fault.pointer === '/url' ? 'OPERATOR_WEBHOOK' : 'OPERATOR_WEBHOOK_FORMAT';
  return { fault: { name, message: fault.detail } };
};

const settings = z
  .object({
    HOST: z
      .string()
      .refine(kinds.isInterface, 'must be an address, such as 127.0.0.1 or ::, or a host name')
      .default('0.0.0.0'),
    PORT: kinds.integer(0, 65_535).default(3_000),
    BASE_URL: kinds.root.optional(),
    ...storeSettings.shape,
    EMPTY_STORE: kinds.oneOf(['accept', 'refuse']).default('accept'),
    TEMPLATE_HOST: kinds.host,
    TEMPLATE_ORIGIN: kinds.origin.optional(),
    INSTALL_ORIGIN: kinds.root.optional(),
    TEMPLATE_RECHECK: kinds.durationOrOff.default(604_800_000),
    SOCIAL_HOST: kinds.host.default('x.com'),
    SOCIAL_HOST_ALIASES: kinds.list(kinds.host).optional(),
    BOT_CATEGORIES: kinds.categories.default([...defaultCategories]),
    BOT_CATEGORY_WORDS: kinds.categoryWords.default(defaultCategoryWords),
    INTEGRATION_NAMES: kinds.integrationNames.default(new Map()),
    SITE_NAME: kinds.words(60).default('Bot Directory'),
    SITE_DESCRIPTION: kinds.words(200).default('A public directory of bot templates, open to everyone.'),
    SITE_CONTACT: kinds.contact.optional(),
    SECURITY_CONTACT: kinds.contact.optional(),
    SITE_ACCENT: kinds.accent.optional(),
    WEBHOOK_TIMEOUT: kinds.positiveDuration.default(10_000),
    WEBHOOK_RETRY_DELAYS: kinds
      .list(kinds.duration)
      .refine((delays) => delays.length === limits.failuresInARow - 1, `must name ${limits.failuresInARow - 1} delays`)
      .default([5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000]),
    WEBHOOK_LEASE: kinds.duration.optional(),
    WEBHOOK_ALLOWED_NETWORKS: kinds.list(kinds.through(parseNetwork)).default([]),
    WEBHOOK_SIGNING_KEY: kinds.list(kinds.through(parseSigningKey)).default([]),
    WEBHOOKS_PER_HOST: kinds.integer(1, 10_000_000).default(limits.webhooksPerHost),
    WEBHOOKS_PER_DOMAIN: kinds.integer(1, 10_000_000).default(5_000),
    WRITE_RATE_LIMIT: kinds.rate.default({ limit: 600, windowMs: 60_000 }),
    TRUST_PROXY: kinds.trustProxy.default(false),
    REQUEST_TIMEOUT: kinds.positiveDuration.default(30_000),
    KEEP_ALIVE_TIMEOUT: kinds.positiveDuration.default(620_000),
    CONNECTIONS_PER_ADDRESS: kinds.integer(0, 1_000_000).default(1_000),
    SHUTDOWN_DELAY: kinds.duration.default(5_000),
    METRICS_ADDRESS: kinds.address.optional(),
    ATTEMPT_LOG_RATE: kinds.integer(0, 1_000_000).default(100),
    OTEL_EXPORTER_OTLP_ENDPOINT: kinds.origin.optional(),
    OTEL_SERVICE_NAME: kinds.words(255).optional(),
    OTEL_RESOURCE_ATTRIBUTES: kinds.resourceAttributes.optional(),
    OTEL_SDK_DISABLED: z
      .string()
      .toLowerCase()
      .pipe(kinds.oneOf(['true', 'false']))
      .default('false'),
    WRITE_REPLICAS: kinds.integer(0, 100).default(0),
    OPERATOR_WEBHOOK: z.string().optional(),
    OPERATOR_WEBHOOK_FORMAT: kinds.oneOf(['json', ...webhookFormats]).optional(),
    APPROVE_FIRST: kinds.oneOf(['true', 'false']).default('false'),
    ROLE: kinds.oneOf(['web', 'worker', 'all']).default('all'),
    LOG_LEVEL: kinds.oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  })
  .superRefine((s, context) => {
    checkTls(s, context);
    if (s.WEBHOOK_LEASE !== undefined && s.WEBHOOK_LEASE < 2 * s.WEBHOOK_TIMEOUT) {
      context.addIssue({ code: 'custom', path: ['WEBHOOK_LEASE'], message: 'must be at least twice WEBHOOK_TIMEOUT' });
    }
    const { fault } = operatorWebhookOf(s);
    if (fault !== undefined) context.addIssue({ code: 'custom', path: [fault.name], message: fault.message });
    if (s.ROLE === 'worker' && (s.REDIS_URL ?? []).length === 0) {
      context.addIssue({ code: 'custom', path: ['REDIS_URL'], message: 'must name a store for ROLE=worker' });
    }
  });

/** Settings that are secrets: for each of them, `<name>_FILE` may name a file that holds it. */
const secrets = ['REDIS_URL', 'WEBHOOK_SIGNING_KEY', 'OPERATOR_WEBHOOK'] as const;

export const settingNames: readonly string[] = [
  ...Object.keys(settings.shape),
  ...secrets.map((name) => `${name}_FILE`),
];

/** Checks the environment. Empty values count as unset. Throws ConfigError naming every bad setting. */
export const readConfig = (environment: Environment = process.env): Config => toConfig(check(settings, environment));

/** Returns what is accepted but probably not meant: names that nobody reads, and an address that others can't reach. */
export const settingWarnings = (environment: Environment = process.env): readonly string[] => {
  // Kubernetes gives each service of a namespace a name such as METRICS_PORT, with a URL of this kind.
  const given = Object.entries(environment).flatMap(([name, value]) =>
    isGiven(value) && !/^(?:tcp|udp):\/\//.test(value) ? [name] : [],
  );
  const unread = given.flatMap((name) => {
    const setting = settingLike(name, settingNames);
    return setting === undefined ? [] : [`${name} is not a setting, and is ignored: see ${setting}`];
  });
  const { BASE_URL, HOST = '' } = environment;
  if (isGiven(BASE_URL) || /^(127\.|::1$|localhost$)/.test(HOST.trim())) return unread;
  return [...unread, 'BASE_URL is not set: links on pages, in feeds and in events lead to localhost'];
};

const isGiven = (value: string | undefined): value is string => value !== undefined && value.trim() !== '';

/** The platform of posts. Those of x.com are still shared under its former name. */
const socialOf = (s: Pick<z.output<typeof settings>, 'SOCIAL_HOST' | 'SOCIAL_HOST_ALIASES'>) => ({
  host: s.SOCIAL_HOST,
  aliases: s.SOCIAL_HOST_ALIASES ?? (s.SOCIAL_HOST === 'x.com' ? ['twitter.com'] : []),
});

/** The settings that the operator's command line needs. Throws ConfigError. */
export const readOperatorConfig = (environment: Environment = process.env): OperatorConfig => {
  const { SOCIAL_HOST, SOCIAL_HOST_ALIASES, BOT_CATEGORIES } = settings.shape;
  const s = check(
    z.object({ ...storeSettings.shape, SOCIAL_HOST, SOCIAL_HOST_ALIASES, BOT_CATEGORIES }).superRefine(checkTls),
    operatorEnvironment(environment),
  );
  return {
    redisUrls: s.REDIS_URL ?? [],
    redisTls: tlsOf(s),
    redisKeyPrefix: s.REDIS_KEY_PREFIX,
    social: socialOf(s),
    categories: s.BOT_CATEGORIES,
    sudoUser: environment.SUDO_USER,
    warning: leftOut(environment),
  };
};

/**
 * Without REDIS_URL in the environment, the settings are those of the file that the units of systemd read, or that
 * ENVIRONMENT_FILE names. The two are never mixed, so that one store's address is never used with another's settings.
 */
const operatorEnvironment = (environment: Environment): Environment => {
  if (namesStore(environment)) return environment;
  const file = fileOf(environment);
  try {
    return parseEnvironmentFile(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && environment.ENVIRONMENT_FILE === undefined) return environment;
    const advice = code === 'EACCES' ? ': use sudo, or set REDIS_URL' : '';
    throw new ConfigError(`${file} cannot be read (${code})${advice}`);
  }
};

const namesStore = ({ REDIS_URL, REDIS_URL_FILE }: Environment): boolean =>
  isGiven(REDIS_URL) || isGiven(REDIS_URL_FILE);

const fileOf = ({ ENVIRONMENT_FILE }: Environment): string => ENVIRONMENT_FILE ?? '/etc/bot-directory/environment';

/** Says what the settings file has about the store that an environment, which decides alone, lacks. */
const leftOut = (environment: Environment): string | undefined => {
  if (!namesStore(environment)) return undefined;
  try {
    const file = parseEnvironmentFile(readFileSync(fileOf(environment), 'utf8'));
    const names = Object.keys(storeSettings.shape).filter((name) => isGiven(file[name]) && !isGiven(environment[name]));
    const left = names.filter((name) => name !== 'REDIS_URL').join(', ');
    if (left !== '')
      return `${fileOf(environment)} has ${left}, and is not read because this environment names the store: set it here.`;
  } catch {
    // There is none, or only root may read it.
  }
  return undefined;
};

/** Reads a file of settings as systemd's EnvironmentFile= does, unlike a shell or dotenv. */
const parseEnvironmentFile = (text: string): Environment =>
  Object.fromEntries(
    [...text.matchAll(assignment)].map(([, name = '', quoted = '', rest = '']) => [
      name,
      [...quoted.matchAll(quotedPart)]
        .map(([, single, double = '']) => single ?? unescaped(double, '["\\\\`$]'))
        .join('') + unescaped(rest, '.'),
    ]),
  );

/** A setting: its name, the quoted parts at the beginning of its value, and the rest of it. */
const assignment = /^[ \t]*(\w+)[ \t]*=[ \t]*((?:(?:'[^']*'|"(?:\\[^]|[^"\\])*")[ \t]*)*)((?:\\[^]|[^\\\n])*)$/gm;
const quotedPart = /'([^']*)'|"((?:\\[^]|[^"\\])*)"/g;

/** A backslash escapes one of these characters, or joins two lines. */
const unescaped = (text: string, escapable: string): string =>
  text.replaceAll(new RegExp(`\\\\(?:\\n|(${escapable}))`, 'g'), '$1');

/** The environment with the secrets that are in files, as container platforms give them. */
const withSecrets = (environment: Environment): Environment => {
  const read = secrets.flatMap((name) => {
    const file = environment[`${name}_FILE`];
    if (!isGiven(file)) return [];
    if (isGiven(environment[name])) throw new ConfigError(`${name}_FILE must not be set together with ${name}`);
    try {
      const value = readFileSync(file.trim(), 'utf8');
      if (isGiven(value)) return [[name, value]];
    } catch (error) {
      throw new ConfigError(`${name}_FILE names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    throw new ConfigError(`${name}_FILE names an empty file`);
  });
  return { ...environment, ...(Object.fromEntries(read) as Environment) };
};

const check = <T>(schema: z.ZodType<T>, environment: Environment): T => {
  const quoted = settingNames.filter((name) => /^\s*(["']).*\1\s*$/s.test(environment[name] ?? ''));
  // A shell takes them off, and so does systemd.
  if (quoted.length > 0) throw new ConfigError(`${quoted.join(', ')} must be without the quotes, which are kept here`);
  const given = Object.fromEntries(
    Object.entries(withSecrets(environment)).flatMap(([name, value]) => (isGiven(value) ? [[name, value.trim()]] : [])),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    (issue) => `${String(issue.path[0])} ${given[String(issue.path[0])] === undefined ? 'is required' : issue.message}`,
  );
  throw new ConfigError(problems.join('; '));
};

const wordsOfCategories = (texts: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> =>
  new Map(Object.entries(texts).map(([name, words]) => [name, words.toLowerCase().split(/\s+/)]));

const tracingOf = (s: z.output<typeof settings>) =>
  s.OTEL_EXPORTER_OTLP_ENDPOINT === undefined || s.OTEL_SDK_DISABLED === 'true'
    ? undefined
    : {
        endpoint: s.OTEL_EXPORTER_OTLP_ENDPOINT,
        attributes: {
          'service.name': 'bot-directory',
          ...s.OTEL_RESOURCE_ATTRIBUTES,
          ...(s.OTEL_SERVICE_NAME === undefined ? {} : { 'service.name': s.OTEL_SERVICE_NAME }),
        },
      };

/** The provider of templates. */
const templateOf = (s: z.output<typeof settings>) => ({
  host: s.TEMPLATE_HOST,
  origin: s.TEMPLATE_ORIGIN ?? `https://${s.TEMPLATE_HOST}`,
  /** Where an install leads: a link's path at this origin. */
  installOrigin: s.INSTALL_ORIGIN ?? `https://${s.TEMPLATE_HOST}`,
  /** How long a pass takes in which workers read all templates again; 0 for no passes. */
  recheckMs: s.TEMPLATE_RECHECK,
});

const toConfig = (s: z.output<typeof settings>) =>
  ({
    host: s.HOST,
    port: s.PORT,
    /** Without a trailing slash. */
    baseUrl: s.BASE_URL ?? `http://localhost:${s.PORT}`,
    /**
     * Empty: saving is not configured. Several: the seeds of a Redis Cluster. A single one may name Sentinels: see
     * `store/redis-url.ts`.
     */
    redisUrls: s.REDIS_URL ?? [],
    /** `undefined`: Node.js's defaults, as for every host. */
    redisTls: tlsOf(s),
    /** What all keys begin with: directories that differ in it share a Redis or a Cluster. */
    redisKeyPrefix: s.REDIS_KEY_PREFIX,
    /** `refuse`: a store without a directory is not that of a new one, unless the operator says so. */
    emptyStore: s.EMPTY_STORE,
    /** Whether REDIS_URL is `none`. If it is not set at all, it was forgotten. */
    isStoreless: s.REDIS_URL?.length === 0,
    template: templateOf(s),
    social: socialOf(s),
    categories: s.BOT_CATEGORIES,
    /** Beginnings of words by which each category is suggested, in lower case. */
    categoryWords: wordsOfCategories(s.BOT_CATEGORY_WORDS),
    site: {
      name: s.SITE_NAME,
      description: s.SITE_DESCRIPTION,
      /** `mailto:` or `https:`. */
      contact: s.SITE_CONTACT,
      /** Where security.txt sends reports of vulnerabilities: `mailto:` or `https:`. */
      securityContact: s.SECURITY_CONTACT,
      /** What the operator calls integrations, by slug. */
      integrationNames: s.INTEGRATION_NAMES,
      /** `#rrggbb`, with enough contrast. */
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
    operatorWebhook: operatorWebhookOf(s).webhook,
    /** `undefined`: off. */
    writeRateLimit: s.WRITE_RATE_LIMIT === 'off' ? undefined : s.WRITE_RATE_LIMIT,
    /** As in Express's `trust proxy`. */
    trustProxy: s.TRUST_PROXY,
    http: {
      /** The time in which a whole request must arrive. */
      requestTimeoutMs: s.REQUEST_TIMEOUT,
      /** How long an idle connection is kept for its next request. */
      keepAliveTimeoutMs: s.KEEP_ALIVE_TIMEOUT,
      /** The most connections from one address that `trustProxy` does not trust; 0 for no limit. */
      connectionsPerAddress: s.CONNECTIONS_PER_ADDRESS,
      /** How long a stopping process continues to accept requests while `/readyz` is 503. */
      shutdownDelayMs: s.SHUTDOWN_DELAY,
    },
    /** Where `/metrics` is served instead of on the public address. */
    metricsAddress: s.METRICS_ADDRESS,
    /** How many successful attempts are logged at `info` per second; the others are logged at `debug`. */
    attemptLogRate: s.ATTEMPT_LOG_RATE,
    /** Where OpenTelemetry traces are sent, and what they say of this process; undefined turns tracing off. */
    tracing: tracingOf(s),
    /** How many replicas must have a write before it is acknowledged. */
    writeReplicas: s.WRITE_REPLICAS,
    /** New bots wait for the operator before they are listed. */
    approveFirst: s.APPROVE_FIRST === 'true',
    role: s.ROLE,
    logLevel: s.LOG_LEVEL,
  }) as const;
