/** The example, as a person runs it, against the real service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createClient } from '@bot-directory/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, startDirectory } from '@bot-directory/testing/directory';
import { run } from '@bot-directory/testing/run';

const folder = mkdtempSync(join(tmpdir(), 'bot-directory-node-client-'));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const main = join(import.meta.dirname, '../src/main.ts');
let service: Directory;
beforeAll(async () => void (service = await startDirectory()));
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const options = () => ({ cwd: folder, env: { ...process.env, DIRECTORY_URL: service.baseUrl } });
const client = (...args: string[]) => run(process.execPath, ['--import', tsx, main, ...args], options());
const link = (id: string) => `https://templates.example.com/bot/${id}`;

it('submits, and lists what matches', async () => {
  expect(await client('submit', link('meeting-notes'), 'Productivity')).toMatchObject({
    code: 0,
    stdout: 'published at /bots/meeting-notes-and-actions\n',
  });
  expect(await client('submit', link('meeting-notes'))).toMatchObject({
    code: 0,
    stdout: 'already listed at /bots/meeting-notes-and-actions\n',
  });
  expect(await client('submit', link('invoice-chaser'))).toMatchObject({ code: 0 });
  const { stdout } = await client('list', 'meeting');
  expect(stdout).toBe(
    `meeting-notes-and-actions\tMeeting Notes & Actions\t${service.baseUrl}/bots/meeting-notes-and-actions\n`,
  );
});

it('says what is wrong', async () => {
  expect(await client('submit', 'nonsense')).toMatchObject({ code: 1, stderr: expect.stringContaining('/link: ') });
  expect(await client('submit', link('none'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('template_not_found'),
  });
  expect(await client('fly')).toMatchObject({ code: 2, stderr: expect.stringContaining('usage') });
});

const position = join(folder, 'last-event.txt');

/** Follows until a line is printed and its position kept, then interrupts it. */
const nextLine = async (meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<string> => {
  const before = readFileSync(position, 'utf8');
  const child = spawn(process.execPath, ['--import', tsx, main, 'follow'], {
    ...options(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const line = once(createInterface({ input: child.stdout }), 'line');
  await meanwhile();
  const [text] = (await line) as [string];
  while (readFileSync(position, 'utf8') === before) await sleep(10);
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  return text;
};

it('follows new bots, from where it stopped', async () => {
  const [first] = await createClient({ baseUrl: service.baseUrl }).events.list();
  writeFileSync(position, first?.id ?? '');
  expect(await nextLine()).toContain('\tInvoice Chaser\t');
  expect(await nextLine(() => client('submit', link('weekly-seo-report')))).toContain('\tWeekly SEO Report\t');
});
