/** What `npm start` installs, by the lockfile: little, and nothing that wants a newer Node than ours. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { satisfies } from 'semver';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

type Dependencies = Readonly<Record<string, string>>;
type Platform = { readonly os?: string[]; readonly cpu?: string[]; readonly libc?: string[] };
type Lockfile = {
  readonly importers: Readonly<
    Record<string, { readonly dependencies?: Record<string, { readonly version: string }> }>
  >;
  readonly packages: Readonly<Record<string, Platform & { readonly engines?: { readonly node?: string } }>>;
  readonly snapshots: Readonly<
    Record<string, { readonly dependencies?: Dependencies; readonly optionalDependencies?: Dependencies }>
  >;
};

const root = join(import.meta.dirname, '../..');
// The first document is pnpm's own.
const lockfile = parseAllDocuments(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')).at(-1);
if (lockfile === undefined) throw new Error('There is no lockfile.');
const { importers, packages, snapshots } = lockfile.toJS() as Lockfile;

/** A package, from the key of what was made of it for its peers. */
const packageOf = (key: string) => packages[key.replace(/\(.*/, '')] ?? {};

/** Whether a package is for Linux on a usual machine, where most packages have something of their own. */
const isInstalled = ({ os, cpu, libc }: Platform): boolean =>
  [os?.includes('linux'), cpu?.includes('x64'), libc?.includes('glibc')].every((fits) => fits !== false);

/** What `--prod` brings to a project and to the projects that it needs: the keys of the packages. */
const installed = (projects: readonly string[]): Set<string> => {
  const keys = new Set<string>();
  const seen = new Set<string>();
  const add = (name: string, version: string): void => {
    const key = version in snapshots ? version : `${name}@${version}`;
    if (keys.has(key) || !isInstalled(packageOf(key))) return;
    keys.add(key);
    const { dependencies, optionalDependencies } = snapshots[key] ?? {};
    for (const needed of Object.entries({ ...dependencies, ...optionalDependencies })) add(...needed);
  };
  const addProject = (project: string): void => {
    if (seen.has(project)) return;
    seen.add(project);
    for (const [name, { version }] of Object.entries(importers[project]?.dependencies ?? {})) {
      const [, path] = /^link:(.*)/.exec(version) ?? [];
      if (path === undefined) add(name, version);
      else addProject(join(project, path));
    }
  };
  for (const project of projects) addProject(project);
  return keys;
};

// pnpm installs the root in any case.
const started = installed(['.', 'packages/server', 'examples/subscriber-express']);

it('is at most 260 packages', () => {
  expect(started.size).toBeGreaterThan(150);
  expect(started.size).toBeLessThanOrEqual(260);
});

it('runs on the oldest Node that the project takes', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
  const oldest = `${engines.node.replace('>=', '')}.0`;
  const tooNew = [...started].filter((key) => !satisfies(oldest, packageOf(key).engines?.node ?? '*'));
  expect(tooNew).toEqual([]);
});
