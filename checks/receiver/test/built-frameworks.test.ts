/**
 * Frameworks that are built before they run, as their users have them: a project whose route is the README's line is
 * built and started by the framework's own commands, and passes the command line's `check`. Nuxt's server is Nitro 2,
 * which reads the same folder.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type PackedPackage, packPackage } from '@bot-directory/check-runtimes/packed-package';
import { run } from '@bot-directory/testing/run';
import { until } from '@bot-directory/testing/until';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startChild, stopChild } from '../../../scripts/child.mjs';
import { freePort } from '../../../scripts/port.mjs';
import { generateSecret } from '@bot-directory/webhook-receiver/testing';

const home = join(import.meta.dirname, '../../../packages/webhook-receiver');
const readme = readFileSync(join(home, 'README.md'), 'utf8');

/** Returns the line of a row of the README's table. */
const lineFor = (row: string): string => {
  const found = readme.split('\n').find((line) => line.startsWith(`| ${row} `)) ?? '';
  return /`(.*)`/.exec(found)?.[1] ?? '';
};

/** Returns the path of a command that a package has. */
const command = (name: string, path: string): string =>
  join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);

/** A project of a framework: paths and texts of its files, the command that builds it, and what Node starts then. */
interface Project {
  readonly files: Readonly<Record<string, string>>;
  readonly build: string;
  readonly start: string;
}

const receiver = `import { createReceiver } from '@bot-directory/webhook-receiver';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';
const f = fetchHandler(createReceiver({ keys: process.env.WEBHOOK_KEY, on: { ping: () => {} } }));
`;
const fromNitro = "import { defineHandler } from 'nitro';\n";

const projects: Record<string, Project> = {
  // Its functions need no import.
  'Nitro 2': {
    files: {
      'nitro.config.ts': "export default defineNitroConfig({ srcDir: 'server', compatibilityDate: '2026-11-29' });",
      'server/routes/hooks.ts': receiver + lineFor('Nuxt, Nitro 2, h3 1'),
    },
    build: command('nitropack', 'dist/cli/index.mjs'),
    start: '.output/server/index.mjs',
  },
  'Nitro 3': {
    files: {
      'nitro.config.ts': "export default { serverDir: 'server' };",
      'server/routes/hooks.ts': receiver + fromNitro + lineFor('Nitro 3, h3 2'),
      'server/routes/event.ts': `${receiver + fromNitro}export default defineHandler(f);`,
    },
    build: command('nitro', 'dist/cli/index.mjs'),
    start: '.output/server/index.mjs',
  },
};

const key = generateSecret();
let packed: PackedPackage;
beforeAll(() => void (packed = packPackage(home, import.meta.dirname)));
afterAll(() => packed.remove());

const passesEveryCheck = async (url: string): Promise<void> => {
  const cli = join(packed.folder, 'node_modules', packed.name, 'dist/cli.js');
  const { code, stdout, stderr } = await run(process.execPath, [cli, 'check', url, '--key', key]);
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toContain('200 handled');
};

it.each(Object.entries(projects))(
  '%s is built with the line of the README, and passes every check',
  async (name, { files, build, start }) => {
    const cwd = join(packed.folder, name);
    for (const [file, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), text);
    }
    const { code, stdout, stderr } = await run(process.execPath, [build, 'build'], { cwd });
    expect(code, stdout + stderr).toBe(0);

    const port = await freePort();
    const env = { ...process.env, WEBHOOK_KEY: key, HOST: '127.0.0.1', PORT: String(port) };
    const server = startChild(process.execPath, [start], { cwd, env, stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}`;
    const ready = async () => (await fetch(`${url}/hooks`)).ok;
    try {
      await until('the route answers a health check', () => ready().catch(() => false));
      const routes = Object.keys(files).flatMap((file) => /\/routes\/(\w+)/.exec(file)?.[1] ?? []);
      for (const route of routes) await passesEveryCheck(`${url}/${route}`);
    } finally {
      await stopChild(server);
    }
  },
  600_000, // A build takes seconds of a core, and minutes where they are shared.
);
