/**
 * What goes into the image, or onto a machine: the built server and the operator's command line, whose bundles contain
 * all dependencies. The tree is that of the workspace, so that what runs is what was tested.
 * `node deploy/src/pack-server.mjs <folder>`, after a build.
 */
import { chmod, cp, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

const root = join(import.meta.dirname, '../..');
const server = 'packages/server';
const programs = ['package.json', 'bin', 'dist'].map((name) => join(server, name));
/** For operators: the manual, with the pages and files that it names. */
const documents = [
  'packages/server/CHANGELOG.md',
  'docs/OPERATIONS.md',
  'docs/SETTINGS.md',
  'docs/SCALING.md',
  'docs/BENCHMARKS.md',
  'docs/decisions',
].concat(['systemd', 'haproxy', 'nginx', 'kubernetes', 'prometheus', 'grafana'].map((name) => `deploy/${name}`));
/** The name by which an operator starts the command line. */
const command = 'bin/bot-directory-admin';

/** @param {string} folder must be empty or missing */
const packServer = async (folder) => {
  if ((await readdir(folder).catch(() => [])).length > 0) throw new Error(`${folder} is not empty.`);
  for (const path of [...programs, 'LICENSE', ...documents]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(root, path), join(folder, path), { recursive: true, filter: (name) => !name.endsWith('.map') });
  }
  const manifest = await packageOf(join(root, server, 'package.json'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await mkdir(join(folder, dirname(command)));
  // Relative, so that the folder may be moved.
  await symlink(relative(dirname(command), join(server, `${command}.mjs`)), join(folder, command));
  await makeReadable(folder);
};

/**
 * The service runs as a user who owns none of these files, whatever the umask of this process, or of the one that
 * cloned the repository.
 * @param {string} folder
 */
const makeReadable = async (folder) => {
  await chmod(folder, 0o755);
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    const file = await lstat(path);
    if (!file.isSymbolicLink()) await chmod(path, file.isDirectory() || (file.mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
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

const folder = process.argv[2];
if (folder === undefined) throw new Error('Say where to: node deploy/src/pack-server.mjs <folder>');
await stat(join(root, server, 'dist/main.js')).catch(() => {
  throw new Error('There is no build yet: npm run build.');
});
await packServer(resolve(folder));
console.log(`Start it with node ${join(folder, server)}/dist/main.js`);
