/** Every setting that a file of deploy/ names is known to the service, with a value that it accepts. */
import { expect, it } from 'vitest';
import { readConfig, settingNames } from '../../packages/server/src/config.ts';
import { assignments, compose, deployments, kubernetes, unit, units } from './support/documents.ts';
import { read } from './support/files.ts';
import { image } from './support/image.ts';

/** What Node.js and glibc read. */
const foreign = new Set(['NODE_ENV', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_']);

const inCompose = Object.entries(compose.services)
  .filter(([, service]) => service.build !== undefined)
  .map(([name, { environment = {} }]) => [
    `compose.yaml, ${name}`,
    Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]),
    ),
  ]);

const shared = kubernetes.find(({ kind }) => kind === 'ConfigMap')?.data;
const inKubernetes = deployments.map(({ name, container }) => [
  `kubernetes, ${name}`,
  {
    ...shared,
    ...Object.fromEntries(container.env.map(({ name: key, value }) => [key, value])),
    REDIS_URL: 'redis://a',
  },
]);

const inSystemd = units.map((name) => [
  `systemd, ${name}`,
  {
    ...assignments(read('deploy/systemd/environment')),
    ...assignments((unit(name).get('Service.Environment') ?? []).join('\n').replaceAll('%i', '3001')),
  },
]);

const cases = [...inCompose, ...inKubernetes, ...inSystemd] as [string, Record<string, string>][];

it.each(cases)('%s', (_name, environment) => {
  const all = { ...image.environment, ...environment };
  expect(Object.keys(all).filter((name) => !foreign.has(name) && !settingNames.includes(name))).toEqual([]);
  expect(readConfig(all).redisUrls).toHaveLength(1);
});

it('the manual has every setting, and none that is not there', () => {
  const table = read('docs/SETTINGS.md');
  const named = [...table.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  expect(named.toSorted()).toEqual(settingNames.toSorted());
});
