/** The recipe for Next.js: checked, built and served by it, and used in Chromium with a running directory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { withChromium } from '@bot-directory/testing/chromium';
import { type PackedPackage, packPackage } from '@bot-directory/check-runtimes/packed-package';
import { run } from '@bot-directory/testing/run';
import { startDirectory } from '@bot-directory/testing/directory';
import { useStarted } from '@bot-directory/testing/use-started';
import { needs } from '@bot-directory/testing/needs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/port.mjs';
import { createClient } from '@bot-directory/sdk';

const root = join(import.meta.dirname, '../../..');
const next = join(dirname(createRequire(import.meta.url).resolve('next/package.json')), 'dist/bin/next');

let project: PackedPackage;
let env: NodeJS.ProcessEnv;
let site: ChildProcess | undefined;
let siteUrl: string;
const directory = useStarted(startDirectory);
beforeAll(() => {
  project = packPackage(join(root, 'packages/sdk'), import.meta.dirname);
  env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', DIRECTORY_URL: directory.baseUrl, NODE_ENV: 'production' };
  cpSync(join(root, 'examples/recipes/next'), project.folder, { recursive: true });
});
afterAll(async () => {
  if (site !== undefined) {
    site.kill();
    if (site.exitCode === null) await once(site, 'exit');
  }
  project.remove();
});

describe('the recipe for Next.js', () => {
  const submit = (name: string) =>
    createClient({ baseUrl: directory.baseUrl }).bots.submit({ link: `https://templates.example.com/bot/${name}` });

  it('are built: one page for each request, one from time to time', async () => {
    await submit('meeting-notes');
    const { code, stdout, stderr } = await run(process.execPath, [next, 'build'], { cwd: project.folder, env });
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/ƒ \/now/);
    expect(stdout).toMatch(/○ \/ +1m/);
  }, 600_000); // A build takes both cores for a while, and minutes where they are shared.

  it('show the directory', async () => {
    siteUrl = `http://127.0.0.1:${await freePort()}`;
    const { hostname, port } = new URL(siteUrl);
    site = spawn(process.execPath, [next, 'start', '--hostname', hostname, '--port', port], {
      cwd: project.folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) => {
      site?.stdout?.on('data', (text: Buffer) => {
        if (text.includes('Ready')) resolve();
      });
    });
    await submit('invoice-chaser');
    const page = async (path: string) => (await fetch(siteUrl + path)).text();
    expect(await page('/now')).toContain('<p>Invoice Chaser</p>');
    expect(await page('/')).toContain('<p>Meeting Notes &amp; Actions</p>');
    expect(await page('/')).not.toContain('<p>Invoice Chaser</p>');
  });

  it('submit a bot by a server action', needs('chromium'), async () => {
    await withChromium('', async (browser) => {
      const page = await browser.newPage();
      await page.goto(`${siteUrl}/submit`);
      await page.fill('[name=link]', 'https://templates.example.com/bot/support-triage');
      await page.click('button');
      await page.getByText('/bots/support-triage').waitFor();
      await page.fill('[name=link]', 'https://templates.example.com/bot/support-triage');
      await page.click('button');
      await page.getByText('already').waitFor();
    });
  });
});
