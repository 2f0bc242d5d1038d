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

/** Returns the path of a command of a package, found from this file or from another. */
const command = (name: string, path: string, from: string = import.meta.url): string =>
  join(dirname(createRequire(from).resolve(`${name}/package.json`)), path);

/** A project of a framework: paths and texts of its files, the commands that build it, and what Node starts then. */
interface Project {
  readonly files: Readonly<Record<string, string>>;
  readonly builds: readonly (readonly string[])[];
  readonly start: string;
}

const receiver = `import { createReceiver } from '@bot-directory/webhook-receiver';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';
const f = fetchHandler(createReceiver({ keys: process.env.WEBHOOK_KEY, on: { ping: () => {} } }));
`;
const fromNitro = "import { defineHandler } from 'nitro';\n";

/** Qwik City's server for Node, with a page: it has no build without one. */
const qwik = {
  'vite.config.ts': `import { nodeServerAdapter } from '@builder.io/qwik-city/adapters/node-server/vite';
import { qwikCity } from '@builder.io/qwik-city/vite';
import { qwikVite } from '@builder.io/qwik/optimizer';
export default ({ isSsrBuild }) => ({
  build: isSsrBuild ? { rollupOptions: { input: ['src/entry.ssr.tsx', '@qwik-city-plan'] } } : {},
  plugins: [qwikCity(), qwikVite(), isSsrBuild && nodeServerAdapter({ name: 'node', ssg: null })],
});`,
  'src/root.tsx': `import { component$ } from '@builder.io/qwik';
import { QwikCityProvider, RouterOutlet } from '@builder.io/qwik-city';
export default component$(() => <QwikCityProvider><body><RouterOutlet /></body></QwikCityProvider>);`,
  'src/routes/index.tsx': `import { component$ } from '@builder.io/qwik';
export default component$(() => <p>Hello</p>);`,
  'src/entry.ssr.tsx': `import { createServer } from 'node:http';
import { renderToStream } from '@builder.io/qwik/server';
import { createQwikCity } from '@builder.io/qwik-city/middleware/node';
import { manifest } from '@qwik-client-manifest';
import qwikCityPlan from '@qwik-city-plan';
import Root from './root';
const render = (options) => renderToStream(<Root />, { manifest, ...options });
const { router, notFound } = createQwikCity({ render, qwikCityPlan, manifest });
createServer((request, response) => router(request, response, () => notFound(request, response, () => {})))
  .listen(process.env.PORT, process.env.HOST);`,
};
const qwikCity = createRequire(import.meta.url).resolve('@builder.io/qwik-city/vite');
const vite = command('vite', 'bin/vite.js', qwikCity);

const projects: Record<string, Project> = {
  // Its functions need no import.
  'Nitro 2': {
    files: {
      'nitro.config.ts': "export default defineNitroConfig({ srcDir: 'server', compatibilityDate: '2026-11-29' });",
      'server/routes/hooks.ts': receiver + lineFor('Nuxt, Nitro 2, h3 1'),
    },
    builds: [[command('nitropack', 'dist/cli/index.mjs'), 'build']],
    start: '.output/server/index.mjs',
  },
  'Nitro 3': {
    files: {
      'nitro.config.ts': "export default { serverDir: 'server' };",
      'server/routes/hooks.ts': receiver + fromNitro + lineFor('Nitro 3, h3 2'),
      'server/routes/event.ts': `${receiver + fromNitro}export default defineHandler(f);`,
    },
    builds: [[command('nitro', 'dist/cli/index.mjs'), 'build']],
    start: '.output/server/index.mjs',
  },
  'Qwik City': {
    files: {
      ...qwik,
      'src/routes/hooks/index.ts': receiver + lineFor('Qwik'),
      'src/routes/event/index.ts': `${receiver}export const onPost = async (event) => event.send(await f(event));`,
    },
    builds: [
      [vite, 'build'],
      [vite, 'build', '--ssr'],
    ],
    start: 'server/entry.ssr.js',
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
  async (name, { files, builds, start }) => {
    const cwd = join(packed.folder, name);
    for (const [file, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), text);
    }
    for (const build of builds) {
      const { code, stdout, stderr } = await run(process.execPath, [...build], { cwd });
      expect(code, stdout + stderr).toBe(0);
    }

    const port = await freePort();
    const env = { ...process.env, WEBHOOK_KEY: key, HOST: '127.0.0.1', PORT: String(port) };
    const server = startChild(process.execPath, [start], { cwd, env, stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}`;
    try {
      await until('the server listens', async () => {
        const found = await fetch(url).catch(() => undefined);
        return found !== undefined;
      });
      const routes = Object.keys(files).flatMap((file) => /\/routes\/(hooks|event)\b/.exec(file)?.[1] ?? []);
      for (const route of routes) await passesEveryCheck(`${url}/${route}`);
    } finally {
      await stopChild(server);
    }
  },
  600_000, // A build takes seconds of a core, and minutes where they are shared.
);
