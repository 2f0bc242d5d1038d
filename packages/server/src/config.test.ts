import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig, readOperatorConfig, settingNames, settingWarnings, type Config } from './config.ts';

const read = (settings: Record<string, string> = {}) =>
  readConfig({ TEMPLATE_HOST: 'templates.example.com', ...settings });

/** Returns the error that stops the start; empty if there is none. */
const complaint = (settings: Record<string, string>): string => {
  try {
    read(settings);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  }
};

describe('settings', () => {
  it('have defaults for all but the template host', () => {
    expect(read()).toEqual({
      host: '0.0.0.0',
      port: 3_000,
      baseUrl: 'http://localhost:3000',
      redisUrls: [],
      redisTls: undefined,
      redisKeyPrefix: '',
      isStoreless: false,
      emptyStore: 'accept',
      template: {
        host: 'templates.example.com',
        origin: 'https://templates.example.com',
        installOrigin: 'https://templates.example.com',
        recheckMs: 604_800_000,
      },
      social: { host: 'x.com', aliases: ['twitter.com'] },
      categories: expect.arrayContaining(['Marketing', 'SEO', 'Engineering']) as string[],
      categoryWords: expect.any(Map) as Map<string, string[]>,
      site: {
        name: 'Bot Directory',
        description: 'A public directory of bot templates, open to everyone.',
        contact: undefined,
        integrationNames: new Map(),
        accent: undefined,
      },
      webhook: {
        timeoutMs: 10_000,
        retryDelaysMs: [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000],
        leaseMs: 30_000,
        allowedNetworks: [],
        signingKeys: [],
        perHost: 1_000,
        perDomain: 5_000,
      },
      writeRateLimit: { limit: 600, windowMs: 60_000 },
      trustProxy: false,
      http: {
        requestTimeoutMs: 30_000,
        keepAliveTimeoutMs: 620_000,
        connectionsPerAddress: 1_000,
        shutdownDelayMs: 5_000,
      },
      metricsAddress: undefined,
      attemptLogRate: 100,
      tracing: undefined,
      writeReplicas: 0,
      approveFirst: false,
      role: 'all',
      logLevel: 'info',
    });
  });

  it('count as unset when empty', () => {
    expect(read({ PORT: '', REDIS_URL: ' ', ROLE: '' })).toEqual(read());
  });

  it('are read without the white space around them', () => {
    expect(read({ PORT: ' 4000 ', ROLE: 'web ', REDIS_URL: ' redis://a , redis://b ' })).toMatchObject({
      port: 4_000,
      role: 'web',
      redisUrls: ['redis://a', 'redis://b'],
    });
  });

  it('have no store only if REDIS_URL says so', () => {
    expect(read({ REDIS_URL: 'none' })).toMatchObject({ redisUrls: [], isStoreless: true });
    expect(read({ REDIS_URL: 'redis://a' })).toMatchObject({ redisUrls: ['redis://a'], isStoreless: false });
    expect(read({ REDIS_KEY_PREFIX: 'team-1_a.b:' }).redisKeyPrefix).toBe('team-1_a.b:');
  });

  it('put an operator’s name on the pages', () => {
    const settings = { SITE_NAME: 'Ada’s Bots', SITE_CONTACT: 'ada@example.com', SITE_ACCENT: '#1D4F91' };
    expect(read(settings).site).toMatchObject({
      name: 'Ada’s Bots',
      contact: 'mailto:ada@example.com',
      accent: '#1d4f91',
    });
    expect(read({ SITE_CONTACT: 'https://example.com/contact' }).site.contact).toBe('https://example.com/contact');
  });

  it.each([
    ['SITE_NAME', 'n'.repeat(61)],
    ['SITE_NAME', 'two\u2028lines'],
    ['SITE_DESCRIPTION', 'd'.repeat(201)],
    ['SITE_CONTACT', 'javascript:alert(1)'],
    ['SITE_CONTACT', 'http://example.com'],
    ['SITE_CONTACT', 'ada@example.com?subject=x'],
    ['SECURITY_CONTACT', 'ada@example.com\nExpires: never'],
    ['SITE_ACCENT', 'green'],
    ['SITE_ACCENT', '#ffcc00'],
  ])('refuse %s=%s', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(name);
  });

  it('have defaults that follow from other settings', () => {
    expect(read({ PORT: '4000' }).baseUrl).toBe('http://localhost:4000');
    expect(read({ TEMPLATE_HOST: 'Templates.Example.com:8443' }).template).toEqual({
      host: 'templates.example.com:8443',
      origin: 'https://templates.example.com:8443',
      installOrigin: 'https://templates.example.com:8443',
      recheckMs: 604_800_000,
    });
    expect(read({ WEBHOOK_TIMEOUT: '20s' }).webhook.leaseMs).toBe(60_000);
  });

  it.each([
    ['https://bots.example.com/', 'https://bots.example.com'],
    ['https://example.com//', 'https://example.com'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['HTTPS://Bots.Example.com:443', 'https://bots.example.com'],
  ])('take the base address %s as %s', (given, baseUrl) => {
    expect(read({ BASE_URL: given }).baseUrl).toBe(baseUrl);
  });

  it.each([
    ['0', undefined],
    ['0/1m', undefined],
    ['5/10s', { limit: 5, windowMs: 10_000 }],
  ])('take the rate %s', (given, writeRateLimit) => {
    expect(read({ WRITE_RATE_LIMIT: given }).writeRateLimit).toEqual(writeRateLimit);
  });

  it('describe traces as OpenTelemetry does', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318';
    const attributesOf = (settings: Record<string, string>) =>
      read({ OTEL_EXPORTER_OTLP_ENDPOINT, ...settings }).tracing?.attributes;
    expect(attributesOf({})).toEqual({ 'service.name': 'bot-directory' });
    const OTEL_RESOURCE_ATTRIBUTES = 'service.name=bots, deployment.environment=a%2Cb=c';
    expect(attributesOf({ OTEL_RESOURCE_ATTRIBUTES })).toEqual({
      'service.name': 'bots',
      'deployment.environment': 'a,b=c',
    });
    expect(attributesOf({ OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME: 'mine' })).toMatchObject({
      'service.name': 'mine',
    });
    expect(attributesOf({ OTEL_SDK_DISABLED: 'TRUE' })).toBeUndefined();
  });

  it.each([
    ['9464', { host: '0.0.0.0', port: 9_464 }],
    ['127.0.0.1:9464', { host: '127.0.0.1', port: 9_464 }],
    ['[::1]:9464', { host: '::1', port: 9_464 }],
  ])('serve metrics at %s', (given, metricsAddress) => {
    expect(read({ METRICS_ADDRESS: given }).metricsAddress).toEqual(metricsAddress);
  });

  it.each([
    ['true', true],
    ['false', false],
    ['2', 2],
    ['loopback, 10.0.0.0/8, fd00::/8, 192.0.2.1', 'loopback, 10.0.0.0/8, fd00::/8, 192.0.2.1'],
  ])('trust the proxies %s', (given, trustProxy) => {
    expect(read({ TRUST_PROXY: given }).trustProxy).toBe(trustProxy);
  });
});

describe('a setting that cannot be used', () => {
  it.each([
    [
      'TEMPLATE_HOST',
      [
        'https://templates.example.com',
        'templates.example.com/',
        'user@templates.example.com',
        'a:99999',
        'a b',
        'a..:x',
        '*.example.com',
      ],
    ],
    ['SOCIAL_HOST', ['x.com/jo', 'x.com:443']],
    ['SOCIAL_HOST_ALIASES', ['twitter.com,https://x.com']],
    ['HOST', ['999.1.1.1', 'not a host', '[::1]', '127.0.0.1:80']],
    ['PORT', ['-1', '65536', '80.5', '0x50', 'http']],
    [
      'BASE_URL',
      [
        'bots.example.com',
        'ftp://bots.example.com',
        'https://user:pass@bots.example.com',
        'https://bots.example.com/?a',
        'https://bots.example.com/#a',
        'https://example.com/bots',
        'https://example.com/bots/',
        'https://',
      ],
    ],
    ['INSTALL_ORIGIN', ['templates.example.com', 'https://templates.example.com/a']],
    ['TEMPLATE_ORIGIN', ['templates.example.com', 'https://templates.example.com/?a']],
    [
      'REDIS_URL',
      [
        'localhost:6379',
        'http://localhost',
        'redis://',
        'redis://localhost:99999',
        'redis://a,b',
        'redis-sentinel://a:26379',
        'redis-sentinel://a,#m',
        'redis://a,redis-sentinel://b#m',
        'redis://a/main',
        'redis://a/-1',
        'redis://a/1.5',
        'redis://a/1/2',
        'redis://a/1,redis://b',
        'redis://:a?b@c',
        'redis://a?family=6',
        'None',
      ],
    ],
    ['REDIS_KEY_PREFIX', ['{a}:', 'a b', 'a*', 'x'.repeat(65), 'café:']],
    ['REDIS_TLS_CA_FILE', ['/nowhere/ca.pem', import.meta.filename]],
    ['REDIS_TLS_CERT_FILE', ['/nowhere/cert.pem', import.meta.filename]],
    ['REDIS_TLS_KEY_FILE', ['/nowhere/key.pem', import.meta.filename]],
    ['REDIS_TLS_SERVERNAME', ['127.0.0.1', 'redis.example.com:6379', 'rediss://redis.example.com']],
    ['BOT_CATEGORIES', [',', 'SEO,seo', 'x'.repeat(51)]],
    ['INTEGRATION_NAMES', ['MS Teams,!', 'x'.repeat(51)]],
    ['WEBHOOK_TIMEOUT', ['10', '0s', '1d', '-1s', '999999h']],
    ['WEBHOOK_RETRY_DELAYS', ['5s', Array.from({ length: 10 }, () => '1s').join(',')]],
    ['WEBHOOK_LEASE', ['19s']],
    ['WEBHOOK_ALLOWED_NETWORKS', ['10.0.0.0/33', 'localhost', '10.0.0.0/8,x']],
    ['WEBHOOK_SIGNING_KEY', ['secret', 'whsk_AAAA']],
    ['WEBHOOKS_PER_HOST', ['0', 'many']],
    ['WEBHOOKS_PER_DOMAIN', ['0', 'many']],
    ['WRITE_RATE_LIMIT', ['600', '600/', '600/1m/2m', '600/0s', '600/day', '-1/1m', 'off']],
    ['TRUST_PROXY', ['yes', '-1', '10.0.0.0/99', 'loopback,proxy.example.com']],
    ['REQUEST_TIMEOUT', ['30', '0s']],
    ['KEEP_ALIVE_TIMEOUT', ['0s']],
    ['CONNECTIONS_PER_ADDRESS', ['-1', 'many']],
    ['SHUTDOWN_DELAY', ['5', '-1s']],
    ['METRICS_ADDRESS', ['metrics', '127.0.0.1', '99999', '127.0.0.1:', '::1:9464', 'a b:9464']],
    ['ATTEMPT_LOG_RATE', ['-1', 'all']],
    ['WRITE_REPLICAS', ['101', 'two']],
    ['APPROVE_FIRST', ['yes']],
    [
      'OPERATOR_WEBHOOK',
      ['hooks.acme.com', 'http://hooks.acme.com', 'https://10.0.0.1/', 'https://discord.com/api/webhooks/1/a/slack'],
    ],
    ['OPERATOR_WEBHOOK_FORMAT', ['mail']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['collector:4318']],
    ['OTEL_RESOURCE_ATTRIBUTES', ['production', 'a=1,b', '=1', 'a=%zz']],
    ['OTEL_SDK_DISABLED', ['1', 'yes']],
    ['ROLE', ['boss', 'web,worker']],
    ['LOG_LEVEL', ['loud']],
  ])('is named: %s', (name, values) => {
    for (const value of values) {
      const sentence = complaint({ [name]: value });
      expect(sentence, value).toMatch(new RegExp(`^${name} (?:must|may|has) [^;]+$`));
      expect(sentence, 'a name of the code stands in it').not.toMatch(/\bkinds\b/);
    }
  });

  it('is named when it is required', () => {
    expect(() => readConfig({})).toThrow('TEMPLATE_HOST is required');
    expect(complaint({ ROLE: 'worker' })).toMatch(/^REDIS_URL is required/);
    expect(complaint({ ROLE: 'worker', REDIS_URL: 'none' })).toMatch(/^REDIS_URL must name a store/);
  });

  it('is named along with all others', () => {
    const message = complaint({ PORT: 'x', ROLE: 'boss', BASE_URL: 'nowhere' });
    for (const name of ['PORT', 'ROLE', 'BASE_URL']) expect(message).toContain(name);
  });

  it('is not repeated, because it may hold a secret', () => {
    expect(
      complaint({ REDIS_URL: 'http://user:hunter2@localhost', WEBHOOK_SIGNING_KEY: 'whsk_hunter2' }),
    ).not.toContain('hunter2');
  });
});

it('the format of the operator’s webhook is that of the service, and must be', () => {
  const OPERATOR_WEBHOOK = 'https://hooks.slack.com/services/T/B/x';
  expect(read({ OPERATOR_WEBHOOK }).operatorWebhook?.format).toBe('slack');
  expect(read({ OPERATOR_WEBHOOK: 'https://hooks.acme.com/a' }).operatorWebhook?.format).toBeUndefined();
  expect(complaint({ OPERATOR_WEBHOOK, OPERATOR_WEBHOOK_FORMAT: 'json' })).toBe(
    'OPERATOR_WEBHOOK_FORMAT must be "slack" at this service',
  );
});

describe('a warning', () => {
  const warnings = (given: Record<string, string>) => settingWarnings({ BASE_URL: 'https://a.example', ...given });

  it.each([
    ['TRUSTED_PROXY', 'TRUST_PROXY'],
    ['APPROVAL_FIRST', 'APPROVE_FIRST'],
    ['WRITE_RATELIMIT', 'WRITE_RATE_LIMIT'],
    ['REDIS_TLS_CA', 'REDIS_TLS_CA_FILE'],
    ['BASE_URL_FILE', 'BASE_URL'],
    ['TEMPLATE_URL', 'TEMPLATE_HOST'],
    ['log_level', 'LOG_LEVEL'],
    ['BASE_URI', 'BASE_URL'],
    ['PUBLIC_URL', 'BASE_URL'],
    ['BIND', 'HOST'],
    ['HTTP_PORT', 'PORT'],
    ['VALKEY_URL', 'REDIS_URL'],
    ['REDIS_PASSWORD', 'REDIS_URL'],
    ['REDIS_PREFIX', 'REDIS_KEY_PREFIX'],
    ['TRUSTED_PROXIES', 'TRUST_PROXY'],
    ['RATE_LIMIT', 'WRITE_RATE_LIMIT'],
    ['METRICS_PORT', 'METRICS_ADDRESS'],
    ['WEBHOOK_SECRET', 'WEBHOOK_SIGNING_KEY'],
  ])('says that %s is ignored, and names %s', (name, setting) => {
    expect(warnings({ [name]: 'true' })).toEqual([`${name} is not a setting, and is ignored: see ${setting}`]);
  });

  it('is not given for what others read, or for an empty value', () => {
    const others = ['PATH', 'HOME', 'HOSTNAME', 'NODE_ENV', 'PWD', 'SHLVL', 'USER', 'LANG', 'TERM', 'TZ', 'REDIS_PORT'];
    const links = [
      'REDIS_SERVICE_HOST',
      'REDIS_PORT_6379_TCP_ADDR',
      'WEB_SERVICE_PORT_HTTP',
      'OTEL_EXPORTER_OTLP_HEADERS',
    ];
    expect(warnings(Object.fromEntries([...others, ...links, ...settingNames].map((name) => [name, 'x'])))).toEqual([]);
    expect(warnings({ TRUSTED_PROXY: ' ', METRICS_PORT: 'tcp://10.0.0.1:80' })).toEqual([]);
  });

  it('says that BASE_URL is at its default, unless only this machine can connect', () => {
    expect(settingWarnings({})).toEqual([expect.stringMatching(/^BASE_URL is not set/)]);
    for (const HOST of ['127.0.0.1', '::1', 'localhost']) expect(settingWarnings({ HOST })).toEqual([]);
  });
});

describe('a secret', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  const file = join(folder, 'secret');
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const key = `whsk_${Buffer.alloc(32, 1).toString('base64')}`;

  it.each([
    ['REDIS_URL', 'redis://:hunter2@a', (config: Config) => config.redisUrls[0]],
    ['WEBHOOK_SIGNING_KEY', key, (config: Config) => config.webhook.signingKeys.length],
    ['OPERATOR_WEBHOOK', 'https://hooks.acme.com/a', (config: Config) => config.operatorWebhook?.url],
  ] as const)('may be in a file: %s', (name, value, valueIn) => {
    writeFileSync(file, `${value}\n`);
    const named = { [`${name}_FILE`]: file };
    expect(valueIn(read(named))).toEqual(valueIn(read({ [name]: value })));
    expect(complaint({ ...named, [name]: value })).toBe(`${name}_FILE must not be set together with ${name}`);
    expect(complaint({ [`${name}_FILE`]: folder })).toBe(`${name}_FILE names a file that cannot be read (EISDIR)`);
    writeFileSync(file, ' \n');
    expect(complaint(named)).toBe(`${name}_FILE names an empty file`);
  });

  it('may be in a file for the command line, too', () => {
    writeFileSync(file, 'redis://a');
    expect(readOperatorConfig({ REDIS_URL_FILE: file }).redisUrls).toEqual(['redis://a']);
  });
});

it.each(settingNames)('%s is refused with quotes around it, which would be part of it', (name) => {
  for (const value of ['"quoted"', "'quoted'"])
    expect(() => readConfig({ TEMPLATE_HOST: 'bots.example.com', [name]: value })).toThrow(
      new RegExp(`${name} must be without the quotes`),
    );
});

describe('the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'environment-'));
  const file = join(folder, 'environment');
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const readFile = (text: string) => {
    writeFileSync(file, text);
    return readOperatorConfig({ ENVIRONMENT_FILE: file, SUDO_USER: 'ada' });
  };

  it.each([
    ['REDIS_URL=redis-sentinel://:p@a:26379/0#main', 'redis-sentinel://:p@a:26379/0#main'],
    ["REDIS_URL=redis://:it's$HOME&more@a", "redis://:it's$HOME&more@a"],
    ['REDIS_URL=redis://a # a comment is no comment', undefined],
    ['# REDIS_URL=redis://b\n; REDIS_URL=redis://c\n  REDIS_URL = redis://a  \nROLE=web', 'redis://a'],
    ["REDIS_URL='redis://:$p\\@a'", 'redis://:$p\\@a'],
    ['REDIS_URL="redis://:\\$p@a"', 'redis://:$p@a'],
    ['REDIS_URL="redis://a,\\\nredis://b"', 'redis://a,redis://b'],
    ['REDIS_URL=redis://a,\\\nredis://b', 'redis://a,redis://b'],
    ['REDIS_URL="redis://" \'a\' .example', 'redis://a.example'],
    ['REDIS_URL=redis://:\\p\\\\w@a', 'redis://:p\\w@a'],
    ['SITE_NAME="\nREDIS_URL=redis://b\n"\nREDIS_URL=redis://a', 'redis://a'],
  ])('reads the units’ file as systemd does: %j', (text, expected) => {
    if (expected === undefined) expect(() => readFile(text)).toThrow(/^REDIS_URL /);
    else expect(readFile(text).redisUrls.join()).toBe(expected);
  });

  it('takes everything from the environment if REDIS_URL is there, and nothing from the file', () => {
    writeFileSync(file, 'REDIS_URL=redis://a\nBASE_URL=https://a.example.com');
    const read = readOperatorConfig({ ENVIRONMENT_FILE: file, REDIS_URL: 'redis://b' });
    expect(read).toMatchObject({ redisUrls: ['redis://b'], sudoUser: undefined });
    expect(readOperatorConfig({ ENVIRONMENT_FILE: file, SUDO_USER: 'ada' })).toMatchObject({
      redisUrls: ['redis://a'],
      sudoUser: 'ada',
    });
  });

  it('says which settings of the store the file has, and an environment that names the store lacks', () => {
    writeFileSync(file, 'REDIS_URL=redis://a\nREDIS_KEY_PREFIX=mine:\nSITE_NAME=Mine');
    const warningOf = (more: Record<string, string>) => readOperatorConfig({ ENVIRONMENT_FILE: file, ...more }).warning;
    expect(warningOf({ REDIS_URL: 'redis://b' })).toMatch(/environment has REDIS_KEY_PREFIX, and is not read/);
    expect(warningOf({ REDIS_URL: 'redis://b', REDIS_KEY_PREFIX: 'mine:' })).toBeUndefined();
    expect(warningOf({})).toBeUndefined();
    expect(warningOf({ ENVIRONMENT_FILE: join(folder, 'missing'), REDIS_URL: 'redis://b' })).toBeUndefined();
  });

  it('names a file that cannot be read', () => {
    const missing = join(folder, 'missing');
    expect(() => readOperatorConfig({ ENVIRONMENT_FILE: missing })).toThrow(`${missing} cannot be read (ENOENT)`);
    expect(() => readOperatorConfig({ ENVIRONMENT_FILE: folder })).toThrow(`${folder} cannot be read (EISDIR)`);
  });

  it('take names of integrations, by slug', () => {
    const { site } = readConfig({ TEMPLATE_HOST: 'bots.example.com', INTEGRATION_NAMES: 'MS Teams, Acme & Co' });
    expect([...site.integrationNames]).toEqual([
      ['ms-teams', 'MS Teams'],
      ['acme-and-co', 'Acme & Co'],
    ]);
  });

  it('take words by which a category is suggested', () => {
    const { categoryWords } = readConfig({
      TEMPLATE_HOST: 'bots.example.com',
      BOT_CATEGORY_WORDS: 'SEO=Ranking keyword, Finance=invoice',
    });
    expect([...categoryWords]).toEqual([
      ['SEO', ['ranking', 'keyword']],
      ['Finance', ['invoice']],
    ]);
    expect(() => readConfig({ TEMPLATE_HOST: 'bots.example.com', BOT_CATEGORY_WORDS: 'SEO' })).toThrow(
      /BOT_CATEGORY_WORDS must be shaped/,
    );
  });
});
