/** The checks of a release, one function each, which returns its complaints. check-release.ts runs them all. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import getReleasePlan from '@changesets/get-release-plan';
import { openApi } from '@bot-directory/contract';
import { lintPackage } from '@bot-directory/check-runtimes/lint-package';
import { run } from '@bot-directory/testing/run';
import { generateKeyPair } from '@bot-directory/webhook-receiver/testing';
import { startTemplateProvider } from '../../examples/template-provider/src/provider.js';
import { gate } from '@bot-directory/check-openapi/breaking-changes';
import type { Json } from '@bot-directory/check-openapi/schema-changes';
import { startChild, stopChild } from '../../scripts/child.mjs';
import { freePort } from '../../scripts/port.mjs';
import { startRedis } from '../../scripts/redis.mjs';

const root = join(import.meta.dirname, '../..');

/** The most that a packed package may weigh, in bytes. */
const mostBytes = 120 * 1024;

/** A package as it would be published. */
export interface Packed {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly tarball: Uint8Array<ArrayBuffer>;
  /** The text of its package.json. */
  readonly manifest: string;
}

/** Returns the versions that result from the waiting changesets, a line each. */
export const plannedVersions = async (): Promise<string[]> => {
  const { releases } = await getReleasePlan(root);
  return releases.map(({ name, oldVersion, newVersion, type }) => `${name}: ${oldVersion} → ${newVersion} (${type})`);
};

/** Returns what the API of today breaks for clients of the last release; before the first there are none. */
export const apiComplaints = (): string[] => {
  const document = join(root, 'docs/released/openapi.json');
  if (!existsSync(document)) return [];
  const released = JSON.parse(readFileSync(document, 'utf8')) as Json;
  return gate(released, JSON.parse(JSON.stringify(openApi())) as Json);
};

/** Packs each package that is not private, as pnpm would publish it, into a folder. */
export const packPublished = (folder: string): Packed[] =>
  readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .filter((home) => {
      const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { private?: boolean };
      return manifest.private !== true;
    })
    .map((home) => {
      const output = execFileSync('pnpm', ['pack', '--json', '--pack-destination', folder], {
        cwd: home,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return readPacked((JSON.parse(output) as { filename: string }).filename);
    });

/** Reads a tarball. */
export const readPacked = (path: string): Packed => {
  const manifest = execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' });
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  return { name, version, path, manifest, tarball: new Uint8Array(readFileSync(path)) };
};

/** Returns what is wrong with a tarball by publint and Are The Types Wrong, with its dependencies and its size. */
export const tarballComplaints = async ({ tarball, manifest }: Packed): Promise<string[]> => {
  const { complaints } = await lintPackage({ tarball });
  const local = manifest.match(/"(workspace|link|file|catalog):[^"]*"/g) ?? [];
  return [
    ...complaints.map((complaint) => JSON.stringify(complaint)),
    ...local.map((range) => `It depends on ${range}, which nobody else has.`),
    ...(tarball.length > mostBytes ? [`It weighs ${tarball.length} bytes; ${mostBytes} are allowed.`] : []),
  ];
};

/** A user's first program with both packages. It prints what it received. */
const program = `
import { createClient } from '@bot-directory/sdk';
import { createReceiver } from '@bot-directory/webhook-receiver';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';
import { sampleEvent, signedRequest } from '@bot-directory/webhook-receiver/testing';

const [baseUrl, link, key] = process.argv.slice(2);
const directory = createClient({ baseUrl });
const { slug } = await directory.bots.submit({ link });
const bots = await directory.bots.list();
const events = await directory.events.list();
const heard = [];
const receiver = createReceiver({ baseUrl, on: { 'bot.created': ({ data }) => heard.push(data.name) } });
const event = sampleEvent('bot.created', { name: 'Signed by the server’s key' });
const { status } = await fetchHandler(receiver)(await signedRequest({ event, key }));
console.log(JSON.stringify({ found: bots.some((bot) => bot.slug === slug), events: events.length > 0, status, heard }));
`;
const expected = { found: true, events: true, status: 200, heard: ['Signed by the server’s key'] };

/** Installs the tarballs in an empty project below a folder, and runs a program with them against the built server. */
export const tryInEmptyProject = async (folder: string, packed: readonly Packed[]): Promise<string[]> => {
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(project, 'main.js'), program);
  const tarballs = packed.map(({ path }) => path);
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], {
    cwd: project,
    stdio: 'ignore',
  });
  const { privateKey } = await generateKeyPair();
  const redis = await startRedis();
  const provider = await startTemplateProvider();
  const port = String(await freePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  const server = startChild(process.execPath, [join(root, 'packages/server/dist/main.js')], {
    env: {
      HOST: '127.0.0.1',
      PORT: port,
      BASE_URL: baseUrl,
      REDIS_URL: redis.url,
      WEBHOOK_SIGNING_KEY: privateKey,
      TEMPLATE_HOST: 'bots.example.com',
      TEMPLATE_ORIGIN: provider.origin,
      SHUTDOWN_DELAY: '0s',
      LOG_LEVEL: 'warn',
    },
  });
  try {
    await untilReady(`${baseUrl}/readyz`);
    const link = `https://bots.example.com/bot/${provider.templates[0]?.id ?? ''}`;
    const { stdout, stderr } = await run(process.execPath, ['main.js', baseUrl, link, privateKey], { cwd: project });
    return stdout.trim() === JSON.stringify(expected) ? [] : [`It printed ${stdout.trim()} ${stderr.trim()}`];
  } finally {
    await stopChild(server);
    await provider.close();
    await redis.stop();
  }
};

const untilReady = async (url: string): Promise<void> => {
  const isReady = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  const deadline = AbortSignal.timeout(30_000);
  while (!(await isReady())) {
    deadline.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
