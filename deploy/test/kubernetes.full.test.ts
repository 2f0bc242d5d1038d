/** The Kubernetes example is made of objects that the API knows, field by field, and its parts fit each other. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newestCompiler } from '@bot-directory/check-runtimes/compilers';
import { describe, expect, it } from 'vitest';
import { run } from '../../scripts/child.mjs';
import { startRedis } from '../../scripts/redis.mjs';
import { backupJob, deployments, kubernetes } from './support/documents.ts';
import { root } from './support/files.ts';
import { image } from './support/image.ts';

const require = createRequire(import.meta.url);

type Model = new (object: object) => { validate: () => void };

const moduleOf = (apiVersion: string, kind: string): string => `kubernetes-models/${apiVersion}/${kind}`;

it.each(kubernetes.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
  '%s is valid by the API’s schema',
  (_name, object) => {
    const models = require(moduleOf(object.apiVersion, object.kind)) as Record<string, Model>;
    const Model = models[object.kind];
    if (Model === undefined) throw new Error(`There is no ${object.kind}.`);
    expect(() => {
      new Model(object).validate();
    }).not.toThrow();
  },
);

it('has no field that the API does not know', async () => {
  const folder = mkdtempSync(join(import.meta.dirname, '.kubernetes-'));
  const check = (objects: readonly { apiVersion: string; kind: string }[]): Promise<string> => {
    const lines = objects.map(
      ({ apiVersion, kind, ...rest }, i) =>
        `import type { I${kind} as T${i} } from '${moduleOf(apiVersion, kind)}';\n` +
        `export const object${i}: T${i} = ${JSON.stringify({ apiVersion, kind, ...rest })};`,
    );
    writeFileSync(join(folder, 'objects.ts'), lines.join('\n'));
    return newestCompiler.compile(folder);
  };
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  try {
    expect(await check(kubernetes)).toBe('');
    const [config] = kubernetes;
    if (config === undefined) throw new Error('There is nothing.');
    expect(await check([{ ...config, dta: {} } as typeof config])).toContain(`'"dta"' does not exist`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it.each(deployments)('$name: probes, shutdown, privileges, resources', ({ container, template, selector }) => {
  const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
  expect(ports).toEqual({ http: Number(image.environment.PORT), metrics: 9464 });
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
  expect(probes.map(({ httpGet }) => httpGet)).toEqual([
    { path: '/healthz', port: 'http' },
    { path: '/readyz', port: 'http' },
    { path: '/healthz', port: 'http' },
  ]);
  expect(template.metadata.labels).toEqual(selector.matchLabels);
  expect(template.metadata.annotations['prometheus.io/port']).toBe('9464');
  // SHUTDOWN_DELAY and what is in flight: docs/OPERATIONS.md.
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(20);
  expect(template.spec.securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: Number(image.user.split(':')[0]),
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.resources).toMatchObject({ requests: { cpu: '500m' }, limits: { memory: /Gi|Mi/ } });
});

describe('the nightly backup', () => {
  const { template } = backupJob.spec.jobTemplate.spec;
  const [container] = template.spec.containers;

  it('is of the same image, and may do no more than the others', () => {
    expect([...deployments.map((one) => one.container.image), container.image]).toEqual(
      Array.from({ length: 3 }, () => container.image),
    );
    for (const one of deployments) {
      expect(container.securityContext).toEqual(one.container.securityContext);
      expect(template.spec.securityContext).toEqual({ ...one.template.spec.securityContext, fsGroup: 65532 });
    }
  });

  it('keeps the newest and, on a night that fails, every one', async () => {
    const redis = await startRedis();
    const backups = mkdtempSync(join(tmpdir(), 'backups-'));
    const data = kubernetes.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
    const [command = '', ...args] = container.command;
    const { mountPath = '' } = container.volumeMounts[0] ?? {};
    const night = () =>
      run(
        process.execPath,
        [
          join(root, `packages/server/bin/${command}.mjs`),
          ...args.map((word) => (word === mountPath ? backups : word)),
        ],
        { env: { ...process.env, ...data, REDIS_URL: redis.url } },
      );
    const contents = () =>
      readdirSync(backups)
        .toSorted()
        .map((name) => [name, readFileSync(join(backups, name), 'utf8')]);
    try {
      expect(await night()).toBe(0);
      const made = contents();
      expect(made).toHaveLength(1);
      await redis.kill();
      expect(await night()).toBe(1);
      expect(contents()).toEqual(made);
      expect(args.slice(args.indexOf('--keep'))).toEqual(['--keep', '14']);
    } finally {
      await redis.stop();
      rmSync(backups, { recursive: true });
    }
  });
});

it('every selector selects a Deployment of the same name', () => {
  for (const { kind, metadata, spec } of kubernetes.filter((object) =>
    /Service|PodDisruptionBudget/.test(object.kind),
  )) {
    const labels = kind === 'Service' ? spec?.selector : spec?.selector.matchLabels;
    expect(labels, kind).toEqual(deployments.find(({ name }) => name === metadata.name)?.template.metadata.labels);
  }
});
