/**
 * The image without a container engine: the Dockerfile's own steps run in a copy of its build context. What they make
 * is started as in the last stage: on a read-only root of its own, as a user that owns nothing, with the image's own
 * entrypoint, environment and health check.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needs, needsMounts } from '@bot-directory/testing/needs';
import { startTemplateProvider } from '../../examples/template-provider/src/provider.js';
import { startChild, stopChild } from '../../scripts/child.mjs';
import { freePort } from '../../scripts/port.mjs';
import { program } from '../../scripts/programs.mjs';
import { startRedis } from '../../scripts/redis.mjs';
import { unit, units } from './support/documents.ts';
import { read, root } from './support/files.ts';
import { image } from './support/image.ts';

/** The sizes of Node 24 without symbols, from the build stage, and of the C and C++ libraries of the base image. */
const nodeBytes = 109_000_000;
const baseBytes = 25_000_000;
const mostBytes = 150_000_000;

const built = needs('strip');
const started = { timeout: 240_000, ...needsMounts(), ...needs('ldd', 'strip') };

let scratch: string;
let rootfs: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'image-'));
  rootfs = join(scratch, 'rootfs');
  const context = join(scratch, 'src');
  const ignored = dockerignore().add(read('.dockerignore'));
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of ignored.filter(
    tracked
      .toString()
      .split('\0')
      .filter((name) => name !== ''),
  ))
    if (existsSync(join(root, path))) cpSync(join(root, path), join(context, path));
  // It does not build again what was built from the same sources.
  const env = { ...process.env, TURBO_CACHE_DIR: join(root, '.turbo/cache') };
  for (const step of image.steps) {
    // Absolute paths of the build stage are below the scratch folder here.
    const command = step.replaceAll(/(?<=\s)\/(?=app|programs)/g, `${scratch}/`);
    execFileSync('sh', ['-euc', command], { cwd: context, env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  for (const [from = '', to = ''] of image.copies) {
    mkdirSync(dirname(join(rootfs, to)), { recursive: true });
    cpSync(join(scratch, from), join(rootfs, to), { recursive: true, verbatimSymlinks: true });
  }
}, 300_000);
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
}, 300_000);

const bytesOf = (path: string): number =>
  lstatSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
    : lstatSync(path).size;

it('weighs less than 150 MB, unpacked', built, () => {
  const app = bytesOf(join(rootfs, 'app'));
  expect(nodeBytes + baseBytes + app).toBeLessThan(mostBytes);
});

it('has no tests, no types, no maps and nothing of the build in it', built, () => {
  const files = execFileSync('find', [join(rootfs, 'app'), '-type', 'f'], { encoding: 'utf8' }).split('\n');
  expect(files.filter((file) => /\.(map|d\.[cm]?ts|test\.\w+)$|\/(typescript|tsup|vitest|turbo)\//.test(file))).toEqual(
    [],
  );
});

it('has the documents that the units name', built, () => {
  for (const name of units) {
    const [page = ''] = unit(name).get('Unit.Documentation') ?? [];
    expect(existsSync(page.replace('file:///opt/bot-directory', join(rootfs, 'app'))), page).toBe(true);
  }
});

/** Adds what the base image has: the libraries that Node is linked with. */
const addBase = (): void => {
  const node = join(rootfs, 'usr/local/bin/node');
  const libraries = execFileSync(program('ldd'), [node], { encoding: 'utf8' }).matchAll(/(?:=> )?(\/\S+) \(0x/g);
  for (const [, path = ''] of libraries) {
    mkdirSync(join(rootfs, dirname(path)), { recursive: true });
    cpSync(path, join(rootfs, path), { dereference: true });
  }
  for (const folder of ['dev', 'proc', 'etc']) mkdirSync(join(rootfs, folder), { recursive: true });
  cpSync('/etc/hosts', join(rootfs, 'etc/hosts'));
};

/** Runs a command of the image as the engine would, with these further variables. */
const inImage = (words: readonly string[], environment: Record<string, string>): [string, string[], object] => {
  const script = `
    mount --bind "$0" "$0"; mount --bind /dev "$0/dev"; mount -o remount,ro,bind "$0"
    exec chroot --userspec=${image.user} "$0" /usr/local/bin/"$@"`;
  const env = { PATH: process.env.PATH ?? '', ...image.environment, ...environment };
  return [program('unshare'), ['--mount', 'sh', '-euc', script, rootfs, ...words], { env, stdio: 'pipe' }];
};

const entry = [...image.entrypoint, ...image.command.map((path) => join(image.workdir, path))];

/** The base is added once, for all tests that start the image. */
beforeAll(() => {
  if (started.skip !== true) addBase();
});

it('starts as nobody on a read-only root, takes a bot, and is healthy', started, async () => {
  const redis = await startRedis();
  const other = await startRedis();
  const provider = await startTemplateProvider();
  const PORT = String(await freePort());
  const url = `http://127.0.0.1:${PORT}`;
  const settings = {
    PORT,
    REDIS_URL: redis.url,
    TEMPLATE_HOST: 'bots.example.com',
    TEMPLATE_ORIGIN: provider.origin,
  };
  const server = startChild(...inImage(entry, { ...settings, SHUTDOWN_DELAY: '0s' }));
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const statusOf = (path: string) =>
    fetch(url + path).then(
      ({ status }) => status,
      () => output,
    );
  const run = (words: readonly string[], input?: string) => {
    const [command, args, options] = inImage(words, { ...settings, BASE_URL: url });
    return spawnSync(command, args, { ...options, encoding: 'utf8', ...(input === undefined ? {} : { input }) });
  };
  try {
    await expect.poll(() => statusOf('/readyz'), { timeout: 120_000 }).toBe(200);
    const body = JSON.stringify({ link: `https://bots.example.com/bot/${provider.templates[0]?.id ?? ''}` });
    const headers = { 'Content-Type': 'application/json' };
    expect((await fetch(`${url}/api/bots/submit`, { method: 'POST', headers, body })).status).toBe(200);
    for (const path of ['/', '/api/bots', '/docs', '/api/openapi.json', '/metrics', '/favicon.ico'])
      expect(await statusOf(path), path).toBe(200);
    const healthy = run(image.healthcheck);
    expect(healthy.status, healthy.stderr).toBe(0);
    const admin = (words: readonly string[], input = '') => {
      const { status, stdout, stderr } = run(['bot-directory-admin', ...words], input);
      expect(status, stderr).toBe(0);
      return stdout;
    };
    expect(JSON.parse(admin(['--json', 'bots']))).toHaveLength(1);
    // As the manual says for a read-only file system: everything goes through standard streams.
    const backup = admin(['export', '--with-keys']);
    expect(admin(['backup', 'verify', '-'], backup)).toMatch(/is whole: .*bot 1/);
    settings.REDIS_URL = other.url;
    admin(['import', '-', '--resume', '--with-keys'], backup);
    expect(admin(['export', '--with-keys'])).toBe(backup);
    const write = "require('node:fs').writeFileSync('/app/x', '')";
    expect(run(['node', '-e', write]).stderr).toMatch(/EROFS/);
    expect(run(['node', '-p', 'process.getuid()']).stdout.trim()).toBe(image.user.split(':')[0]);
    const status = readFileSync(`/proc/${server.pid ?? 0}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe(image.user.split(':')[0]);
  } finally {
    await stopChild(server);
    await provider.close();
    await redis.stop();
    await other.stop();
  }
  expect(server.exitCode, output).toBe(0);
  expect(run(image.healthcheck).status).toBe(1);
});
