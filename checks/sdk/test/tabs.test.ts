/** The README's recipe for tabs: eight share one stream over HTTP/1.1, and another takes over from the first. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { withChromium } from '@bot-directory/testing/chromium';
import { startDirectory } from '@bot-directory/testing/directory';
import { needs } from '@bot-directory/testing/needs';
import { createClient } from '@bot-directory/sdk';

it('eight tabs show each change', needs('chromium'), async () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../packages/sdk/README.md'), 'utf8');
  const [, recipe = ''] = /^```js\n((?:(?!^```).)*BroadcastChannel.*?)^```/ms.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'bot-directory-tabs-'));
  const directory = await startDirectory();
  try {
    const bundle = join(folder, 'bundle.js');
    await build({
      stdin: {
        contents: recipe.replace('https://directory.example.com', directory.baseUrl),
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      format: 'esm',
      outfile: bundle,
    });
    const { bots } = createClient({ baseUrl: directory.baseUrl });
    const submit = (id: string) => bots.submit({ link: `https://templates.example.com/bot/${id}` });
    await withChromium(bundle, async (browser, url) => {
      const open = async () => {
        const tab = await browser.newPage();
        await tab.goto(url);
        await tab.evaluate(
          `void import('/bundle.js').then(({ showIn }) => showIn((bots) => (document.title = bots.length + ' bots')))`,
        );
        return tab;
      };
      const tabs = [await open()];
      while (tabs.length < 8) tabs.push(await open());
      const all = (title: string, some = tabs) =>
        Promise.all(some.map((tab) => tab.waitForFunction(`document.title === '${title}'`)));
      await all('0 bots');
      await submit('meeting-notes');
      await all('1 bots');
      // The stream leaves connections for a tab's other requests.
      const [, ...others] = tabs;
      const statuses = await Promise.all(
        others.map((tab) => tab.evaluate(`fetch('${directory.baseUrl}/api/feed').then(({ status }) => status)`)),
      );
      expect(statuses).toEqual(others.map(() => 200));
      await tabs[0]?.close();
      await submit('invoice-chaser');
      await all('2 bots', others);
    });
  } finally {
    await directory.stop();
    rmSync(folder, { recursive: true });
  }
});
