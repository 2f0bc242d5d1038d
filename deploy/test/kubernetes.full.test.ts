/** The Kubernetes example is made of objects that the API knows, field by field, and its parts fit each other. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { newestCompiler } from '@bot-directory/check-runtimes/compilers';
import { expect, it } from 'vitest';
import { deployments, kubernetes } from './support/documents.ts';
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

it('every selector selects a Deployment of the same name', () => {
  for (const { kind, metadata, spec } of kubernetes.filter((object) =>
    /Service|PodDisruptionBudget/.test(object.kind),
  )) {
    const labels = kind === 'Service' ? spec?.selector : spec?.selector.matchLabels;
    expect(labels, kind).toEqual(deployments.find(({ name }) => name === metadata.name)?.template.metadata.labels);
  }
});
