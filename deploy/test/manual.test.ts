/** docs/OPERATIONS.md is short, its pages end in decisions, and it has every command of the operator. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { read, root } from './support/files.ts';
import { blocks } from './support/manual.ts';

const manual = read('docs/OPERATIONS.md');

/** Why a block is not run as it stands there. Those about containers are run with stubs, in `ways.full.test.ts`. */
const reasons = ['a build, which came before the tests', 'a container engine', 'a cluster'];

it('has commands in every chapter that asks for some, and a known reason where one is not run', () => {
  expect(blocks.length).toBeGreaterThan(25);
  const unrun = blocks.filter(({ note }) => note.startsWith('not-run: '));
  expect(unrun.filter(({ note }) => !reasons.includes(note.slice('not-run: '.length)))).toEqual([]);
  const fences = [...manual.matchAll(/^```(\w*)/gm)].filter(([, language]) => language !== '');
  expect(fences.every(([, language]) => language === 'sh')).toBe(true);
});

it('is short, and each of its pages ends in a decision', () => {
  const prose = manual.replaceAll(/^```[\s\S]*?^```\n/gm, '');
  expect(prose.split(/\s+/).length).toBeLessThanOrEqual(4_250);
  const [, ...pages] = prose.split(/^#{2,4} /m);
  expect(pages.length).toBeGreaterThan(40);
  const last = pages
    .map((page) => page.trim().split(/\n\n+/))
    .filter(([title]) => title !== 'Alerts')
    .map(([title, ...paragraphs]) => [title, paragraphs.at(-1)] as const);
  expect(last.filter(([, decision]) => decision?.startsWith('- If ') !== true)).toEqual([]);
});

it('defines the commands for each layout', () => {
  const layouts = blocks.filter(({ note }) => note.startsWith('layout: '));
  expect(layouts.map(({ note }) => note)).toEqual(
    ['clone', 'systemd', 'compose', 'kubernetes'].map((name) => `layout: ${name}`),
  );
  for (const { commands } of layouts) {
    const check = 'declare -F metrics; declare -F bot-directory-admin || [[ $PATH == *bin:* ]]';
    const shell = ['--norc', '-euo', 'pipefail', '-c'];
    expect(spawnSync('bash', [...shell, `${commands}\n${check}`]).status, commands).toBe(0);
  }
});

it('has every command of the operator', () => {
  const help = [join(root, 'packages/server/bin/bot-directory-admin.mjs'), '--help'];
  const { stdout } = spawnSync(process.execPath, help, { encoding: 'utf8' });
  const [, list = ''] = /\nCommands:\n([\s\S]*)/.exec(stdout) ?? [];
  const known = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
  expect(known).toContain('reports');
  const named = [...manual.matchAll(/bot-directory-admin (?:--yes )?([a-z]+)/g)].map(([, name]) => name);
  expect(known.filter((name) => !named.includes(name))).toEqual([]);
});
