/**
 * The programs that README does not require, and that some test or script starts by name: each comes through `program`,
 * so lint refuses another way. A test that may have to do without one says so with `needs` of `packages/testing`.
 */
import { spawnSync } from 'node:child_process';
import { onPath } from './on-path.mjs';

/**
 * @typedef {object} Program
 * @property {string} [debian] the package of Debian that has it; `.ci/run` installs it
 * @property {string[]} [files] its names on the PATH, if not its own
 * @property {string[]} [probe] arguments with which only one that suffices succeeds
 * @property {string} [variable] of the environment, which may name its file
 */

/** @satisfies {Record<string, Program>} */
const programs = {
  amtool: { debian: 'prometheus-alertmanager' },
  'apt-get': {},
  certbot: { debian: 'certbot' },
  chromium: {
    debian: 'chromium-headless-shell',
    variable: 'CHROMIUM_PATH',
    // The first paints no window, and needs half the time.
    files: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  },
  dpkg: {},
  faketime: { debian: 'faketime' },
  go: { debian: 'golang-go' },
  haproxy: { debian: 'haproxy' },
  ip: { debian: 'iproute2' },
  java: { debian: 'default-jdk-headless' },
  javac: { debian: 'default-jdk-headless' },
  ldd: { debian: 'libc-bin' },
  mount: { debian: 'mount' },
  nginx: { debian: 'nginx-light' },
  nsenter: { debian: 'util-linux' },
  pebble: { debian: 'pebble' },
  pgrep: { debian: 'procps' },
  php: { debian: 'php-cli', probe: ['-r', 'sodium_bin2hex("");'] },
  prometheus: { debian: 'prometheus' },
  'prometheus-alertmanager': { debian: 'prometheus-alertmanager' },
  promtool: { debian: 'prometheus' },
  python3: { debian: 'python3' },
  'python3-cryptography': { debian: 'python3-cryptography', files: ['python3'], probe: ['-c', 'import cryptography'] },
  'python3-dateutil': { debian: 'python3-dateutil', files: ['python3'], probe: ['-c', 'import dateutil'] },
  ruby: { debian: 'ruby', probe: ['-ropenssl', '-e', ''] },
  script: { debian: 'bsdutils' },
  setpriv: { debian: 'util-linux' },
  strip: { debian: 'binutils' },
  'systemd-analyze': { debian: 'systemd' },
  ufw: { debian: 'ufw' },
  umount: { debian: 'mount' },
  unshare: { debian: 'util-linux' },
};

/** @typedef {keyof typeof programs} ProgramName */

/** @type {Map<string, string | undefined>} */
const found = new Map();

/**
 * Returns the path of a program, or undefined if this machine has none that suffices.
 * @param {ProgramName} name
 */
export const findProgram = (name) => {
  if (!found.has(name)) found.set(name, lookFor(name));
  return found.get(name);
};

/** @param {ProgramName} name */
const lookFor = (name) => {
  /** @type {Program} */
  const { files = [name], probe, variable = '' } = programs[name];
  if (process.env[variable]) return process.env[variable];
  return files
    .flatMap((file) => onPath(file))
    .find((file) => probe === undefined || spawnSync(file, probe, { stdio: 'ignore' }).status === 0);
};

/**
 * Returns the path of a program. Throws with its name if there is none.
 * @param {ProgramName} name
 */
export const program = (name) => {
  const file = findProgram(name);
  if (file !== undefined) return file;
  const debian = packageOf(name);
  throw new Error(`There is no ${name} here${debian === undefined ? '' : `: Debian has it in ${debian}`}.`);
};

/**
 * Returns Debian's package that has a program, if that is one of these.
 * @param {string} name
 */
export const packageOf = (name) => {
  /** @type {Record<string, Program>} */
  const all = programs;
  return all[name]?.debian;
};

/** Returns Debian's packages that have what is missing here. */
export const missingPackages = () => {
  const names = /** @type {ProgramName[]} */ (Object.keys(programs));
  const packages = names.filter((name) => findProgram(name) === undefined).map(packageOf);
  return [...new Set(packages)].filter((name) => name !== undefined);
};
