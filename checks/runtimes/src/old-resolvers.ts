/** How tools that do not know `exports` find a file of an installed package: each with its own resolver. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Finds the file that a specifier means in a file of this folder. Rejects if there is none. */
export type Resolve = (folder: string, specifier: string) => Promise<string>;

const here = createRequire(import.meta.url);

const webpack4: Resolve = async (folder, specifier) => {
  const { ResolverFactory, NodeJsInputFileSystem } = here('enhanced-resolve') as {
    ResolverFactory: {
      createResolver(options: object): {
        resolve(context: object, path: string, request: string, more: object, done: Done): void;
      };
    };
    NodeJsInputFileSystem: new () => unknown;
  };
  const resolver = ResolverFactory.createResolver({
    fileSystem: new NodeJsInputFileSystem(),
    mainFields: ['browser', 'module', 'main'],
    extensions: ['.wasm', '.mjs', '.js', '.json'],
  });
  return new Promise((resolve, reject) => resolver.resolve({}, folder, specifier, {}, settle(resolve, reject)));
};

type Done = (error: Error | null, path?: string) => void;

const settle =
  (resolve: (path: string) => void, reject: (error: unknown) => void): Done =>
  (error, path) =>
    path === undefined ? reject(error) : resolve(path);

const browserify: Resolve = (folder, specifier) =>
  new Promise((resolve, reject) => {
    const find = here('browser-resolve') as (specifier: string, options: object, done: Done) => void;
    find(specifier, { filename: join(folder, 'main.js') }, settle(resolve, reject));
  });

const eslintImport: Resolve = (folder, specifier) => {
  const { resolve } = here('eslint-import-resolver-node') as {
    readonly resolve: (specifier: string, file: string) => { path?: string };
  };
  const { path } = resolve(specifier, join(folder, 'main.js'));
  return path === undefined ? Promise.reject(new Error(`unresolved: ${specifier}`)) : Promise.resolve(path);
};

const typeOf = (path: string): 'f' | 'd' | undefined => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : found.isDirectory() ? 'd' : 'f';
};

const metro: Resolve = async (folder, specifier) => {
  const { resolve } = await import('metro-resolver');
  const packageAt = (path: string) => {
    const file = join(path, 'package.json');
    return typeOf(file) === 'f' ? (JSON.parse(readFileSync(file, 'utf8')) as object) : null;
  };
  const found = resolve(
    {
      originModulePath: join(folder, 'main.js'),
      allowHaste: false,
      assetExts: new Set<string>(),
      customResolverOptions: {},
      dev: false,
      disableHierarchicalLookup: false,
      doesFileExist: (path: string) => typeOf(path) === 'f',
      extraNodeModules: undefined,
      fileSystemLookup: (path: string) => {
        const type = typeOf(path);
        return type === undefined ? { exists: false } : { exists: true, type, realPath: realpathSync(path) };
      },
      getPackage: (file: string) => packageAt(join(file, '..')),
      getPackageForModule: () => null,
      mainFields: ['react-native', 'browser', 'main'],
      nodeModulesPaths: [],
      preferNativePlatform: false,
      redirectModulePath: (path: string) => path,
      resolveAsset: () => undefined,
      resolveHasteModule: () => undefined,
      resolveHastePackage: () => undefined,
      sourceExts: ['js', 'json'],
      unstable_conditionNames: [],
      unstable_conditionsByPlatform: {},
      unstable_enablePackageExports: false,
      unstable_logWarning: () => {},
    } as never,
    specifier,
    null,
  );
  if (found.type !== 'sourceFile') throw new Error(`unresolved: ${specifier}`);
  return found.filePath;
};

/** The resolvers, by the tool's name. */
export const oldResolvers: Readonly<Record<string, Resolve>> = {
  'Metro before 0.82': metro,
  'webpack 4': webpack4,
  browserify,
  'eslint-plugin-import': eslintImport,
};
