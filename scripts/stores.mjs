/**
 * Runs the server's suite on Redis 7, Redis 8 and Valkey 8, one after the other: `npm run stores`; file names after it
 * limit each run to those. The servers are Debian's packages, unpacked apart from the system's with the libraries that
 * they need, and kept in `node_modules/.cache/` for the next time. It prints the version of each, how many tests
 * passed, and what failed by name. It needs `apt-get` and `dpkg`, no root, and Debian's mirror.
 */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { program } from './programs.mjs';
import { runForOutput } from './child.mjs';
import { root, turbo } from './pnpm.mjs';
import { lineOf, readReport } from './test-report.mjs';

/** @typedef {{ name: string, release: string, kind: 'redis' | 'valkey' }} Store `release`: Debian's, that has it. */

/** @type {readonly Store[]} */
const stores = [
  { name: 'Redis 7', release: 'bookworm', kind: 'redis' },
  { name: 'Redis 8', release: 'trixie', kind: 'redis' },
  { name: 'Valkey 8', release: 'trixie', kind: 'valkey' },
];
const cache = join(root, 'node_modules/.cache/stores');

/**
 * Runs a command that must not fail. Returns its output.
 * @param {string} command
 * @param {readonly string[]} args
 */
const mustRun = (command, ...args) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
};

/**
 * Returns the paths below a folder that have this end.
 * @param {string} folder
 * @param {string} end
 */
const find = (folder, end) => mustRun('find', folder, '-path', `*${end}`).split('\n').filter(Boolean);

/**
 * Fetches a store and all that it needs into `folder`, as if nothing were installed.
 * @param {Store} store
 * @param {string} folder
 */
const unpack = ({ release, kind }, folder) => {
  const apt = join(folder, 'apt');
  for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(apt, part), { recursive: true });
  const mirror = 'http://deb.debian.org/debian';
  writeFileSync(join(apt, 'sources.list'), `deb ${mirror} ${release} main\n`);
  writeFileSync(join(apt, 'status'), '');
  const options = [
    `Dir::Etc::SourceList=${apt}/sources.list`,
    'Dir::Etc::SourceParts=-',
    `Dir::State=${apt}`,
    `Dir::State::Status=${apt}/status`,
    `Dir::Cache=${apt}`,
    'Debug::NoLocking=true',
    'APT::Sandbox::User=',
  ].flatMap((option) => ['-o', option]);
  mustRun(program('apt-get'), ...options, '-q', 'update');
  const packages = [`${kind}-server`, `${kind}-tools`];
  mustRun(
    program('apt-get'),
    ...options,
    '-q',
    '-y',
    '--no-install-recommends',
    '--download-only',
    'install',
    ...packages,
  );
  for (const file of find(apt, '/archives/*.deb')) mustRun(program('dpkg'), '-x', file, join(folder, 'root'));
  rmSync(apt, { recursive: true });
};

/**
 * Returns the folder with the store's `redis-server` and `redis-cli`, which use the libraries unpacked with them.
 * @param {Store} store
 */
const binOf = (store) => {
  const folder = join(cache, `${store.release}-${store.kind}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const partial = mkdtempSync(join(cache, 'partial-'));
    unpack(store, partial);
    renameSync(partial, folder);
  }
  const [loader] = find(join(folder, 'root'), '/ld-linux*.so.*');
  if (loader === undefined) throw new Error(`${folder} has no dynamic loader`);
  const libraries = find(join(folder, 'root'), '/lib/*-linux-gnu').join(':');
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const program of ['server', 'cli']) {
    const file = join(bin, `redis-${program}`);
    const command = `'${loader}' --library-path '${libraries}' '${folder}/root/usr/bin/${store.kind}-${program}'`;
    writeFileSync(file, `#!/bin/sh\nexec ${command} "$@"\n`);
    chmodSync(file, 0o755);
  }
  return bin;
};

/**
 * Runs the suite on a store. Returns whether all passed.
 * @param {Store} store
 * @param {readonly string[]} files
 */
const runOn = async (store, files) => {
  const bin = binOf(store);
  const version = /\bv=(\S+)/.exec(mustRun(join(bin, 'redis-server'), '--version'))?.[1];
  const dir = mkdtempSync(join(tmpdir(), 'bot-directory-stores-'));
  const reportFile = join(dir, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const { code, output } = await runForOutput(join(root, 'node_modules/.bin/vitest'), ['run', ...reporters, ...files], {
    cwd: root,
    env: { ...process.env, PATH: [bin, process.env.PATH].join(delimiter), REDIS_URL: '' },
  });
  const { count, failures } = readReport(reportFile, code);
  rmSync(dir, { recursive: true });
  if (failures.length > 0) console.log(output);
  console.log(`${store.name} (${version}): ${lineOf(count)}`);
  for (const name of failures) console.log(`  ${name}`);
  return failures.length === 0;
};

if ((await turbo('build')) !== 0) process.exit(1);
const named = process.argv.slice(2);
const files = named.length > 0 ? named : ['packages/server/'];
const results = [];
for (const store of stores) results.push(await runOn(store, files));
process.exitCode = results.every(Boolean) ? 0 : 1;
