/**
 * A package as its consumer gets it: packed by npm, and unpacked alone. lint-package.ts, bundled-size.ts and compile.ts
 * check and measure it.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createPackageFromTarballData } from '@arethetypeswrong/core';

/** A packed package. `folder` is the consumer's; the package is in `node_modules` there. */
export interface PackedPackage {
  readonly name: string;
  readonly folder: string;
  readonly tarball: Uint8Array<ArrayBuffer>;
  /** Path in the package → text. */
  readonly files: ReadonlyMap<string, string>;
  remove(): void;
}

/**
 * Packs a copy of the package without its `node_modules`, which npm would spend two seconds reading, and without the
 * hidden folders that other tests keep in `test`.
 */
const packCopy = (home: string, destination: string): void => {
  const copy = mkdtempSync(join(tmpdir(), 'bot-directory-pack-'));
  try {
    cpSync(home, copy, { recursive: true, filter: (path) => !/\/(node_modules|test\/\.[^/]+)$/.test(path) });
    execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', destination], {
      cwd: copy,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } finally {
    rmSync(copy, { recursive: true });
  }
};

/** Packs the package in `home` and installs it for a consumer in a folder of its own in `place`, until `remove()`. */
export const packPackage = (home: string, place: string): PackedPackage => {
  const folder = mkdtempSync(join(place, '.consumer-'));
  packCopy(home, folder);
  // Without a package.json of its own, the folder would belong to the package around it.
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const tarball = new Uint8Array(
    readFileSync(join(folder, readdirSync(folder).find((file) => /\.tgz$/.test(file)) ?? '')),
  );
  const unpacked = createPackageFromTarballData(tarball);
  const name = unpacked.packageName;
  const files = new Map(
    unpacked.listFiles().map((path) => [path.replace(`/node_modules/${name}/`, ''), unpacked.readFile(path)]),
  );
  for (const [file, text] of files) {
    const path = join(folder, 'node_modules', name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { name, folder, tarball, files, remove: () => rmSync(folder, { recursive: true }) };
};

/** Lists the fields of package.json that would install other packages or run something. */
export const burdens = ({ files }: PackedPackage): string[] => {
  const manifest = JSON.parse(files.get('package.json') ?? '') as Record<string, object | undefined>;
  const dependencies = ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies'];
  const scripts = Object.keys(manifest.scripts ?? {}).filter((name) => /install|prepare|pack|publish/.test(name));
  return [...dependencies.filter((field) => manifest[field] !== undefined), ...scripts];
};
