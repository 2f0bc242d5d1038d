/**
 * Who may import whom, by where the imported file is: between packages, and between the layers of the server. Whatever
 * does not lead into `packages/` is left to other rules.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { serverEntries, serverLayers } from './server-layers.js';

const root = resolve(import.meta.dirname, '..');
const packagesDir = join(root, 'packages');
const serverSource = join(packagesDir, 'server/src');

/**
 * The packages, and the packages that each may import from. All tests may use
 * `packages/testing`.
 */
const packageImports = {
  contract: [],
  'site/src': ['contract', 'site'],
  'site/test': ['contract', 'site'],
  'server/src': ['contract', 'server', 'site'],
  'server/test': ['contract', 'sdk', 'server', 'site'],
  sdk: ['contract'],
  testing: ['contract', 'server'],
  'webhook-receiver': ['contract'],
};

const layersInWords = serverLayers.map((row) => row.join(', ')).join(' → ');

/** Inside `target`, nothing may be imported that is in one of `from`, unless it is in one of `except`. */
const layerZones = serverLayers.flatMap((row, depth) =>
  row.map((part) => ({
    target: join(serverSource, part),
    from: [...serverLayers.slice(0, depth), row.filter((other) => other !== part)]
      .flat()
      .map((other) => join(serverSource, other)),
    except: [],
    message: `The server's ${part} imports only from what stands below it: ${layersInWords}.`,
  })),
);

/** Other parts import only the entries of a part. */
const entryZones = Object.entries(serverEntries).flatMap(([part, entries]) =>
  serverLayers
    .flat()
    .filter((other) => other !== part)
    .map((other) => ({
      target: join(serverSource, other),
      from: [join(serverSource, part)],
      except: entries.map((entry) => join(serverSource, part, entry)),
      message: `Other parts import only ${entries.join(' and ')} from the server's ${part}.`,
    })),
);

const packageZones = Object.entries(packageImports).map(([name, allowed]) => ({
  target: join(packagesDir, name),
  from: [packagesDir],
  except: [...allowed, name].map((other) => join(packagesDir, other)),
  message: `packages/${name} imports from no other package than: ${allowed.join(', ') || 'none'}.`,
}));

const zones = [...layerZones, ...entryZones, ...packageZones];

const folders = readdirSync(packagesDir).map((name) => join(packagesDir, name));
const folderOf = new Map(
  folders
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => [JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name, folder]),
);

const testing = join(packagesDir, 'testing');
const isTest = (path) => /\.test\.tsx?$|\/test\//.test(path);

const contains = (folder, path) => !relative(folder, path).startsWith('..');
const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Returns the file that a relative import means; TypeScript takes it without its extension, too. */
const fileAt = (path) =>
  [path, path.replace(/\.js(x?)$/, '.ts$1'), `${path}.ts`, `${path}.tsx`, join(path, 'index.ts')].find(isFile) ?? path;

/** Returns where an import leads, or undefined if it is to nothing of the packages. */
const pathOf = (specifier, importer) => {
  if (/^[./]/.test(specifier)) return fileAt(resolve(dirname(importer), specifier));
  const [, name = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? [];
  const folder = folderOf.get(name);
  return folder === undefined ? undefined : join(folder, rest);
};

/** Finds imports that the zones forbid, in every form in which one module names another. */
export const importZones = {
  create: ({ physicalFilename, report }) => {
    const mine = zones.filter(({ target }) => contains(target, physicalFilename));
    if (mine.length === 0) return {};
    const check = (source) => {
      const path = typeof source?.value === 'string' ? pathOf(source.value, physicalFilename) : undefined;
      if (path === undefined || (isTest(physicalFilename) && contains(testing, path))) return;
      const broken = mine.filter(
        ({ from, except }) =>
          from.some((folder) => contains(folder, path)) && !except.some((folder) => contains(folder, path)),
      );
      for (const { message } of broken) report({ node: source, message });
    };
    const checkSource = ({ source }) => check(source);
    return {
      ImportDeclaration: checkSource,
      ExportNamedDeclaration: checkSource,
      ExportAllDeclaration: checkSource,
      ImportExpression: checkSource,
      TSImportEqualsDeclaration: ({ moduleReference }) => check(moduleReference.expression),
      CallExpression: ({ callee, arguments: [source] }) => {
        if (callee.type === 'Identifier' && callee.name === 'require') check(source);
      },
    };
  },
};
