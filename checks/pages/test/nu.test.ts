/** Every page in every state, and the pages' styles, for the Nu HTML Checker, which is the W3C's. It needs Java. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needs } from '@bot-directory/testing/needs';
import { page } from '../../../packages/site/src/page.tsx';
import { frame } from '../../../packages/site/test/samples.ts';
import { frames, views } from '../../../packages/site/test/views.ts';
import { program } from '../../../scripts/programs.mjs';

const jar = createRequire(import.meta.url)('vnu-jar') as string;

type Message = { readonly type: string; readonly url: string; readonly message: string; readonly extract?: string };

const excepted: readonly RegExp[] = [
  // The checker does not know yet that `rel=expect` may block, too.
  /^A “link” element with a “blocking” attribute/,
  // A form shows what was typed, for a correction, whatever it is.
  /for attribute “value” on element “input”/,
];

it('has nothing for the Nu HTML Checker', needs('java'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'nu-'));
  const names = Object.keys(views);
  for (const [i, [name, view]] of Object.entries(views).entries())
    writeFileSync(join(folder, `${i}.html`), page({ ...frame, ...frames[name] }, view));
  const { stderr } = spawnSync(program('java'), ['-jar', jar, '--format', 'json', '--skip-non-html', folder], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  rmSync(folder, { recursive: true });
  const { messages } = JSON.parse(stderr) as { messages: Message[] };
  const found = messages
    .filter(({ type, message }) => type !== 'info' && !excepted.some((one) => one.test(message)))
    .map(({ url, message, extract }) => `${names[Number(/(\d+)\.html$/.exec(url)?.[1])]}: ${message} ${extract ?? ''}`);
  expect(found).toEqual([]);
});
