/** docs/OPERATIONS.md is short, its pages end in decisions, and it has every command of the operator. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { read, root } from './support/files.ts';
import { block, blocks } from './support/manual.ts';

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

it('has backups where the unit of systemd makes them', () => {
  const [, folder] = / backup (\S+) /.exec(read('deploy/systemd/bot-directory-backup.service')) ?? [];
  expect(block('/opt/bot-directory/bin:$PATH')).toContain(`\nbackups=${folder}\n`);
});

it("restores the newest backup into another store, which is not the next command's", () => {
  const folder = mkdtempSync(join(tmpdir(), 'manual-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const year of [2025, 2026]) writeFileSync(join(folder, `bot-directory-${year}.ndjson`), '');
  const shell = `bot-directory-admin() { echo "$REDIS_URL $*" >>commands; }
    backups=${folder}; export REDIS_URL=production\n`;
  const commands = blocks.filter(({ commands: text }) => /REDIS_URL=redis:\S+638\d/.test(text));
  expect(commands).toHaveLength(3);
  for (const { commands: text } of commands) {
    const args = ['--norc', '-euo', 'pipefail', '-c', `${shell}${text}bot-directory-admin reports`];
    expect(spawnSync('bash', args, { cwd: folder, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  }
  const newest = join(folder, 'bot-directory-2026.ndjson');
  expect(readFileSync(join(folder, 'commands'), 'utf8').split('\n')).toEqual([
    `redis://127.0.0.1:6380 import ${newest} --resume --with-keys`,
    'redis://127.0.0.1:6380 check',
    'redis://127.0.0.1:6380 export --with-keys',
    'production reports',
    `redis://127.0.0.1:6381 import ${newest}`,
    'production reports',
    'redis://127.0.0.1:6381 deliveries pause --reason A copy of production.',
    'production reports',
    '',
  ]);
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
