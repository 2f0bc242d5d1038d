/** Each recipe of `examples/recipes`: type-checked, bundled, and used in Chromium with a running directory. */
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { newestCompiler } from '@bot-directory/check-runtimes/compilers';
import { packPackage } from '@bot-directory/check-runtimes/packed-package';
import { withChromium } from '@bot-directory/testing/chromium';
import { startDirectory } from '@bot-directory/testing/directory';
import { needs } from '@bot-directory/testing/needs';
import { run } from '@bot-directory/testing/run';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { build, type Plugin } from 'esbuild';
import { compile } from 'svelte/compiler';
import { compileScript, parse } from 'vue/compiler-sfc';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '@bot-directory/sdk';

const root = join(import.meta.dirname, '../../..');
const project = packPackage(join(root, 'packages/sdk'), import.meta.dirname);
afterAll(() => project.remove());
const directory = useStarted(startDirectory);
const link = (id: string) => `https://templates.example.com/bot/${id}`;

const file = (name: string) => join(project.folder, name);
const read = (path: string) => readFileSync(path, 'utf8');
const vueAsTypeScript = (path: string): string =>
  compileScript(parse(read(path)).descriptor, { id: 'recipe', inlineTemplate: true }).content;

beforeAll(async () => {
  cpSync(join(root, 'examples/recipes'), file('recipes'), { recursive: true });
  for (const name of readdirSync(file('recipes'), { recursive: true, encoding: 'utf8' })) {
    const path = join(file('recipes'), name);
    if (statSync(path).isFile())
      writeFileSync(path, read(path).replaceAll('https://directory.example.com', directory.baseUrl));
  }
  const { bots } = createClient({ baseUrl: directory.baseUrl });
  for (let number = 1; number <= 24; number += 1) await bots.submit(link(`bot-${number}`));
  await bots.submit(link('invoice-chaser'));
});

describe('the types of the recipes hold', () => {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: [],
    module: 'ESNext',
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };

  it('in React and Vue', async () => {
    writeFileSync(file('recipes/vue/bot-search.ts'), vueAsTypeScript(file('recipes/vue/bot-search.vue')));
    const include = ['react', 'react-query', 'vue'].map((name) => `recipes/${name}/*`);
    writeFileSync(file('tsconfig.json'), JSON.stringify({ compilerOptions, include }));
    expect(await newestCompiler.compile(project.folder)).toBe('');
  });

  it('in Svelte', async () => {
    writeFileSync(file('recipes/svelte/tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.svelte'] }));
    const { resolve } = createRequire(import.meta.url);
    const command = join(dirname(resolve('svelte-check/package.json')), 'bin/svelte-check');
    const { code, stdout } = await run(process.execPath, [command, '--fail-on-warnings'], {
      cwd: file('recipes/svelte'),
    });
    expect(code, stdout).toBe(0);
  });
});

const components: Plugin = {
  name: 'components',
  setup: (bundler) => {
    bundler.onLoad({ filter: /\.vue$/ }, ({ path }) => ({ loader: 'ts', contents: vueAsTypeScript(path) }));
    bundler.onLoad({ filter: /\.svelte$/ }, ({ path }) => ({
      contents: compile(read(path), { filename: path }).js.code,
    }));
  },
};

const bundle = async (program: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: file('recipes') },
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false' },
    plugins: [components],
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
};

/** How a page shows a recipe's components. */
const programs = {
  react: `import { createElement, StrictMode } from 'react';
    import { createRoot } from 'react-dom/client';
    import { BotSearch } from './react/bot-search';
    import { NewBots } from './react/new-bots';
    import { SubmitBot } from './react/submit-bot';
    const parts = [BotSearch, SubmitBot, NewBots].map((part, key) => createElement(part, { key }));
    createRoot(document.querySelector('main')).render(createElement(StrictMode, null, parts));`,
  'react-query': `import { createElement } from 'react';
    import { createRoot } from 'react-dom/client';
    import { BotSearch } from './react-query/bot-search';
    createRoot(document.querySelector('main')).render(createElement(BotSearch));`,
  vue: `import { createApp } from 'vue';
    import BotSearch from './vue/bot-search.vue';
    createApp(BotSearch).mount('main');`,
  svelte: `import { mount } from 'svelte';
    import BotSearch from './svelte/bot-search.svelte';
    mount(BotSearch, { target: document.querySelector('main') });`,
};

const shell = '<!doctype html><title>Bots</title><main></main><script type="module" src="main.js"></script>';
const filesOf = async (recipe: keyof typeof programs | 'script'): Promise<Record<string, string>> =>
  recipe === 'script'
    ? {
        'index.html': read(file('recipes/script/index.html')),
        'bot-directory-sdk.js': project.files.get('dist/index.js') ?? '',
      }
    : { 'index.html': shell, 'main.js': await bundle(programs[recipe]) };

type Browser = Parameters<Parameters<typeof withChromium>[1]>[0];
type Page = Awaited<ReturnType<Browser['newPage']>>;

/** Opens a recipe in a browser for as long as `use` runs. */
const withPage = async (
  files: Record<string, string>,
  use: (page: Page, answered: Set<string>) => Promise<void>,
): Promise<void> => {
  const server = createServer(({ url = '' }, response) => {
    const name = url.slice(1) || 'index.html';
    response.setHeader('content-type', name.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.end(files[name] ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  await withChromium('', async (browser) => {
    const page = await browser.newPage();
    const errors: unknown[] = [];
    const answered = new Set<string>();
    page.on('pageerror', (error) => errors.push(error));
    page.on('response', (response) => answered.add(new URL(response.url()).pathname));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await use(page, answered);
    expect(errors).toEqual([]);
  });
};

describe.each(['react', 'react-query', 'vue', 'svelte', 'script'] as const)('the recipe for %s', (recipe) => {
  it('searches while somebody types, aborts what is no longer needed, and loads more', needs('chromium'), async () => {
    await withPage(await filesOf(recipe), async (page) => {
      const search = page.getByLabel('Search');
      const shown = page.locator('li a');
      const total = (text: string) => page.getByText(text, { exact: true }).waitFor();
      await total('25 found');
      expect(await shown.count()).toBe(20);
      await page.getByRole('button', { name: 'Load more' }).click();
      await shown.nth(24).waitFor();
      expect(new Set(await shown.allTextContents()).size).toBe(25);
      expect(await page.getByRole('button', { name: 'Load more' }).isVisible()).toBe(false);

      // A response that never comes.
      await page.route(/q=slow/, () => {});
      const asked = page.waitForRequest(/q=slow/);
      const aborted: string[] = [];
      page.on('requestfailed', (request) => aborted.push(new URL(request.url()).search));
      await search.fill('slow');
      await asked;
      await search.fill('invoice');
      await total('1 found');
      // At once, and not by a limit of time.
      expect(aborted).toEqual([expect.stringContaining('q=slow')]);
      expect(await shown.allTextContents()).toEqual(['Invoice Chaser']);
      await search.fill('no such bot');
      await total('0 found');
      await search.fill('');
      await total('25 found');
    });
  });
});

describe('the recipe for react', () => {
  it('submits a bot, says why one is refused, and shows new ones', needs('chromium'), async () => {
    await withPage(await filesOf('react'), async (page, answered) => {
      await until('the stream is open', () => answered.has('/api/events/stream'));
      const submit = async (id: string) => {
        await page.getByLabel('Template link').fill(link(id));
        await page.getByRole('button', { name: 'Submit' }).click();
      };
      await submit('support-triage');
      await page.getByText(`Published at ${directory.baseUrl}/bots/support-triage`).waitFor();
      await page.getByLabel('New').getByText('Support Triage').waitFor();
      await submit('support-triage');
      await page.getByText(`Already listed at ${directory.baseUrl}/bots/support-triage`).waitFor();
      await submit('none');
      await page.getByText('The template provider has no template at this link.').waitFor();
    });
  });
});
