/**
 * What goes into the image, or onto a machine: the built server, the operator's command line, and of everything they
 * depend on the files that they can load. The tree is that of the workspace, so that what runs is what was tested.
 * `node deploy/src/pack-server.mjs <folder>`, after a build.
 */
import { cp, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { nodeFileTrace } from '@vercel/nft';

const root = join(import.meta.dirname, '../..');
const server = 'packages/server';
const programs = [
  'bin/bot-directory.mjs',
  'bin/bot-directory-admin.mjs',
  'dist/main.js',
  'dist/admin.js',
  'dist/draw-worker.js',
];
/** Read by path at run time. */
const data = ['package.json', 'dist/lua', 'dist/fonts', 'dist/resvg.wasm.br'].map((name) => join(server, name));
/** For operators: the manual, with the pages and files that it names. */
const documents = [
  'packages/server/CHANGELOG.md',
  'docs/OPERATIONS.md',
  'docs/SCALING.md',
  'docs/BENCHMARKS.md',
  'docs/decisions',
].concat(['systemd', 'haproxy', 'kubernetes', 'prometheus', 'grafana'].map((name) => `deploy/${name}`));
/** The name by which an operator starts the command line. */
const command = 'bin/bot-directory-admin';

/**
 * Copies it to `folder`, which must be empty or missing; gives the number of files and their bytes.
 * @param {string} folder
 */
export const packServer = async (folder) => {
  if ((await readdir(folder).catch(() => [])).length > 0) throw new Error(`${folder} is not empty.`);
  const { fileList } = await nodeFileTrace(
    programs.map((program) => join(root, server, program)),
    {
      base: root,
      conditions: ['node', 'module-sync'],
      ignore: ['**/*.map', '**/*.d.ts'],
      // What is read by path is listed above. To look for more in the bundles took more than half the time.
      analysis: { emitGlobs: false },
    },
  );
  const paths = [...fileList, ...data, 'LICENSE', ...documents];
  let [files, bytes] = [0, 0];
  for (const path of new Set(paths)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // Links stay links: the workspace's node_modules is made of them.
    await cp(join(root, path), join(folder, path), { recursive: true, verbatimSymlinks: true });
    const { size } = await lstat(join(folder, path));
    [files, bytes] = [files + 1, bytes + size];
  }
  const manifest = await packageOf(join(root, server, 'package.json'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await mkdir(join(folder, dirname(command)));
  // Relative, so that the folder may be moved.
  await symlink(relative(dirname(command), join(server, `${command}.mjs`)), join(folder, command));
  return { files, bytes };
};

/**
 * The package that the whole folder is, for npm: its programs, and no dependencies, since the build contains them.
 * @param {string} path of the server's package.json
 */
const packageOf = async (path) => {
  /** @type {{ version: string, description: string, license: string, bin: Record<string, string> }} */
  const { version, description, license, bin } = JSON.parse(await readFile(path, 'utf8'));
  const programsOf = Object.entries(bin).map(([name, file]) => [name, join(server, file)]);
  return { name: 'bot-directory-server', version, description, license, bin: Object.fromEntries(programsOf) };
};

if (import.meta.filename === process.argv[1]) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('Say where to: node deploy/src/pack-server.mjs <folder>');
  await stat(join(root, server, 'dist/main.js')).catch(() => {
    throw new Error('There is no build yet: npm run build.');
  });
  const { files, bytes } = await packServer(resolve(folder));
  console.log(`${folder}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB. Start it with node ${server}/dist/main.js`);
}
