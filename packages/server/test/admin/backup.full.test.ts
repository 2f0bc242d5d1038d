/**
 * A backup contains everything, equals the backup of a store restored from it, and can only be imported into an empty
 * store.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bot, DirectoryEvent } from '@bot-directory/contract';
import { contentsOf } from '@bot-directory/testing/contents';
import { lateRetries, startDelivery } from '@bot-directory/testing/delivery';
import { operatorOf } from '@bot-directory/testing/operator';
import { spawnProcess } from '@bot-directory/testing/process';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { needs } from '@bot-directory/testing/needs';
import { program } from '../../../../scripts/programs.mjs';
import { runAdmin } from '../../src/admin/run-admin.ts';
import { keys } from '../../src/store/keys.ts';

let dir: string;
let from: ReturnType<typeof operatorOf>;
let to: ReturnType<typeof operatorOf>;

const source = useStarted(() => startDelivery({ settings: lateRetries }));
const empty = useStarted(startTestRedis);
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bot-directory-backup-'));
  from = operatorOf(source.redis?.url ?? '', source.url);
  to = operatorOf(empty.url, source.url);

  await source.register('/idle');
  await source.register('/failing');
  await source.register('/keyed', { headers: { 'X-Api-Key': 'T0KEN' } });
  await source.register('/keyed-and-signed', { headers: { 'X-Api-Key': 'T0KEN' }, secret: `whsec_${'A'.repeat(32)}` });
  await source.publish('First', { author: '@ada', categories: ['SEO'], integrations: ['slack'] });
  const hidden = await source.publish('Second');
  const removed = await source.publish(`Third ${'x'.repeat(90)}`);
  await source.post('/api/feed', { url: 'https://x.com/ada/status/1' });
  await source.post('/api/bots/first/reports', { reason: 'other', text: 'Hm.' });
  await until('all is delivered', () => source.slugs('/failing').length >= 3);
  source.receiver.respond((received, res) => res.writeHead(received.path === '/failing' ? 500 : 204).end());
  await source.publish('Fourth');
  await source.install('first');
  await until('one has failed', async () => (await source.status('/failing')).failures_in_a_row > 0);
  await from.run('deliveries', 'pause');
  await from.run('hide', hidden);
  await from.run('remove', removed, '--reason', 'Spam.');
  await from.run('block', 'words', 'casino');
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

describe('a backup', () => {
  const first = 'first.ndjson';
  const second = 'second.ndjson';

  it('of the store that was restored from it is the same, byte for byte', async () => {
    await from.run('export', '--with-keys', '--file', join(dir, first));
    const imported = await to.run('import', join(dir, first), '--resume', '--with-keys');
    expect(imported).toMatchObject({ records: expect.any(Number) });
    await to.run('export', '--with-keys', '--file', join(dir, second));
    expect(readFileSync(join(dir, second), 'utf8')).toBe(readFileSync(join(dir, first), 'utf8'));
    expect(readFileSync(join(dir, second), 'utf8')).toMatch(/"recent_installs":"\d+:1"/);
    expect(await to.run('check')).toEqual([]);
  });

  it('is recorded in the log of the store that it was made of or read into, and in no backup', async () => {
    const [exported] = await from.run<object[]>('audit');
    expect(exported).toMatchObject({ action: 'export-with-keys', command: expect.stringContaining(first) });
    const [again, imported, ...older] = await to.run<{ action: string }[]>('audit');
    expect(again).toMatchObject({ action: 'export-with-keys' });
    const records = readFileSync(join(dir, first), 'utf8').trimEnd().split('\n').length - 2;
    expect(imported).toMatchObject({ action: 'import', count: records, command: expect.stringContaining(first) });
    expect(older.map(({ action }) => action)).toEqual(['block', 'remove', 'hide', 'pause-deliveries']);
    await to.run('export', '--file', join(dir, 'recorded.ndjson'));
    expect(await to.run('audit', '--limit', '1')).toMatchObject([{ action: 'export' }]);
    expect(readFileSync(join(dir, 'recorded.ndjson'), 'utf8')).not.toMatch(/"import"|"export/);
  });

  it('is refused by a store that is not empty, which stays as it is', async () => {
    const redis = new Redis(empty.url);
    const before = await contentsOf(redis);
    const { code, output } = await to.attempt('import', join(dir, first));
    expect([code, output]).toEqual([1, 'the store is not empty']);
    expect(await contentsOf(redis)).toEqual(before);
    expect(Object.keys(before).length).toBeGreaterThan(20);
    redis.disconnect();
  });

  it('is read into an emptied store that was backed up since', async () => {
    const store = await startTestRedis();
    const emptied = operatorOf(store.url);
    await emptied.run('backup', mkdtempSync(join(dir, 'nightly-')));
    expect(await emptied.attempt('import', join(dir, first))).toMatchObject({ code: 0 });
    expect(await emptied.run('audit', '--limit', '2')).toMatchObject([{ action: 'import' }, { action: 'backup' }]);
    await store.stop();
  });

  it.each<[left: string, ...command: string[]]>([
    ['state, versions, audit', 'accept-empty', '--yes'],
    ['audit, paused', 'deliveries', 'pause'],
    ['audit', 'submissions', 'off'],
    ['audit', 'settings', 'forget', '--yes'],
    ['blocks, audit', 'block', 'author', '@spammer'],
  ])('is refused by an emptied store that has %s, which says so and what to do', async (left, ...command) => {
    const store = await startTestRedis();
    const emptied = operatorOf(store.url);
    expect(await emptied.attempt(...command)).toMatchObject({ code: 0 });
    const { code, output } = await emptied.attempt('import', join(dir, first));
    expect([code, output]).toEqual([1, expect.stringContaining(`no bot, post or webhook, but ${left}, as of`)]);
    expect(output).toContain('FLUSHDB');
    const redis = new Redis(store.url);
    await redis.flushdb();
    redis.disconnect();
    expect(await emptied.attempt('import', join(dir, first))).toMatchObject({ code: 0 });
    await store.stop();
  });

  it('serves the same directory, and goes on from there', async () => {
    const restored = await startService({ redis: empty, provider: source.provider });
    try {
      const before = await source.get<Bot[]>('/api/bots');
      const after = await restored.get<Bot[]>('/api/bots');
      expect(after.body.map(({ slug }) => slug)).toEqual(before.body.map(({ slug }) => slug));
      expect(await restored.publish('Fifth')).toBe('fifth');
      expect((await restored.get<Bot[]>('/api/bots')).body[0]?.slug).toBe('fifth');
    } finally {
      await restored.stop();
    }
  });

  it('is read into an empty store on which a server runs', async () => {
    const redis = await startTestRedis();
    const client = new Redis(redis.url);
    const running = await startService({ redis, provider: source.provider, settings: { TEMPLATE_RECHECK: '24h' } });
    try {
      await until('its worker has looked for templates', async () => (await client.exists(keys.rechecks)) === 1);
      await operatorOf(redis.url).run('import', join(dir, first));
      const { body } = await source.get<Bot[]>('/api/bots');
      const listed = async (): Promise<string[]> =>
        (await running.get<Bot[]>('/api/bots')).body.map(({ slug }) => slug);
      await until('it lists all', async () => String(await listed()) === String(body.map(({ slug }) => slug)));
    } finally {
      client.disconnect();
      await running.stop();
      await redis.stop();
    }
  });

  it('has neither key nor secret unless they are requested, and is never written over a file', async () => {
    await from.run('export', '--file', join(dir, 'plain.ndjson'));
    const written = readFileSync(join(dir, 'plain.ndjson'), 'utf8');
    expect(written).not.toMatch(/signing-key|T0KEN|whsec_/);
    expect(readFileSync(join(dir, first), 'utf8').match(/T0KEN/g)).toHaveLength(2);
    const again = await from.attempt('export', '--file', join(dir, 'plain.ndjson'));
    expect(again).toEqual({ code: 1, output: expect.stringMatching(/^EEXIST: .*plain\.ndjson'$/) });
    expect(readFileSync(join(dir, 'plain.ndjson'), 'utf8')).toBe(written);
  });

  it('whose file is missing, or is a folder, is refused with one sentence', async () => {
    const store = await startTestRedis();
    for (const [path, said] of [
      [join(dir, 'none.ndjson'), /^ENOENT: .*none\.ndjson'$/],
      [dir, /^EISDIR: /],
    ] as const)
      expect(await operatorOf(store.url).attempt('import', path)).toEqual({
        code: 1,
        output: expect.stringMatching(said),
      });
    await store.stop();
  });

  it('is read with CRLF line ends too, and refused in any encoding but UTF-8', async () => {
    const store = await startTestRedis();
    const lines = readFileSync(join(dir, first), 'utf8');
    writeFileSync(join(dir, 'utf16.ndjson'), Buffer.from(`\ufeff${lines}`, 'utf16le'));
    expect(await operatorOf(store.url).attempt('import', join(dir, 'utf16.ndjson'))).toEqual({
      code: 1,
      output: expect.stringContaining('not UTF-8'),
    });
    writeFileSync(join(dir, 'crlf.ndjson'), lines.replaceAll('\n', '\r\n'));
    const read = await operatorOf(store.url).run('import', join(dir, 'crlf.ndjson'), '--with-keys');
    expect(read).toMatchObject({ records: lines.trimEnd().split('\n').length - 2 });
    await store.stop();
  });

  it('made by one command, again and again, keeps as many as --keep says', async () => {
    const folder = mkdtempSync(join(dir, 'nightly-'));
    const foreign = ['bot-directory-notes.ndjson', 'bot-directory-2020-01-01.ndjson'];
    const unfinished = 'bot-directory-2020-01-01T00-00-00.000Z.ndjson.partial';
    for (const name of [...foreign, unfinished]) writeFileSync(join(folder, name), '');
    const made: string[] = [];
    for (let night = 0; night < 3; night += 1) {
      const { file } = await from.run<{ file: string }>('backup', folder, '--with-keys', '--keep', '2');
      made.push(file);
    }
    const [, second = '', third = ''] = made;
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual(
      [...foreign.map((name) => join(folder, name)), second, third].sort(),
    );
    expect(statSync(third).mode & 0o777).toBe(0o600);
    expect(readFileSync(third, 'utf8')).toBe(readFileSync(join(dir, first), 'utf8'));
  });

  it('deletes no older one while the directory has lost what that has', async () => {
    const folder = mkdtempSync(join(dir, 'nightly-'));
    const nightly = (command: ReturnType<typeof operatorOf>) => command.attempt('backup', folder, '--keep', '2');
    expect((await nightly(from)).code).toBe(0);
    const [good = ''] = readdirSync(folder);
    const lost = await startTestRedis();
    const after = operatorOf(lost.url);
    for (let night = 0; night < 3; night += 1)
      expect(await nightly(after)).toEqual({
        code: 3,
        output: expect.stringContaining(`It has 0 bots and posts, and ${good} has 5. Nothing was deleted.`),
      });
    const names = readdirSync(folder);
    expect(names).toHaveLength(4);
    // The newest that the manual restores is the good one.
    expect(names.filter((name) => name.endsWith('.ndjson'))).toEqual([good]);
    expect(await after.attempt('export', '--file', join(dir, 'nothing.ndjson'))).toEqual({
      code: 0,
      output: expect.stringContaining('The store is empty'),
    });
    await lost.stop();
    for (let night = 0; night < 2; night += 1) expect((await nightly(from)).code).toBe(0);
    expect(readdirSync(folder).filter((name) => names.includes(name))).toEqual([]);
  });

  const lastSec = async () => {
    const text = await (await fetch(`${source.url}/metrics`)).text();
    return Number(/^directory_last_backup_timestamp_seconds (\S+)$/m.exec(text)?.[1]);
  };

  it('makes its folder, for its owner only, and dates the last one in the metrics', async () => {
    const folder = join(mkdtempSync(join(dir, 'nightly-')), 'var/backups');
    const before = await lastSec();
    await from.run('export', '--file', join(dir, 'no-backup.ndjson'));
    expect(await lastSec()).toBe(before);
    await from.run('backup', folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(await lastSec()).toBeGreaterThan(before);
    expect(await lastSec()).toBeCloseTo(Date.now() / 1_000, -3);
    expect(await from.run('audit', '--limit', '1')).toMatchObject([{ action: 'backup' }]);
  });

  it('next to one that is dated later says so, exits with 3, deletes nothing and is not dated', async () => {
    const folder = mkdtempSync(join(dir, 'nightly-'));
    const before = await lastSec();
    const later = 'bot-directory-2099-01-01T00-00-00.000Z.ndjson';
    await from.run('export', '--file', join(folder, later));
    for (let made = 1; made <= 2; made += 1) {
      const { code, output } = await from.attempt('backup', folder, '--keep', '1');
      expect([code, output]).toEqual([3, expect.stringContaining(`${later} is of the future`)]);
      expect(readdirSync(folder)).toHaveLength(made + 1);
    }
    expect(await lastSec()).toBe(before);
    rmSync(join(folder, later));
    expect(await from.attempt('backup', folder, '--keep', '1')).toMatchObject({ code: 0 });
    expect(await lastSec()).toBeGreaterThan(before);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('that is damaged does not count as one of those that are kept, and stays', async () => {
    const folder = mkdtempSync(join(dir, 'nightly-'));
    const damaged = 'bot-directory-2026-01-02T00-00-00.000Z.ndjson';
    const good = 'bot-directory-2026-01-01T00-00-00.000Z.ndjson';
    await from.run('export', '--file', join(folder, good));
    writeFileSync(join(folder, damaged), readFileSync(join(folder, good), 'utf8').slice(0, -200));
    const { code, output } = await from.attempt('backup', folder, '--keep', '2');
    expect([code, output]).toEqual([0, expect.stringContaining(`${damaged} is no whole backup`)]);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([good, damaged]));
  });

  it('is verified without a store, and counted', async () => {
    const verify = async (file: string) => {
      const lines: string[] = [];
      const print = (text: string): void => void lines.push(text);
      const screen = { out: print, error: print, progress: () => undefined };
      return { code: await runAdmin(['backup', 'verify', file], screen, {}), output: lines.join() };
    };
    const whole = await verify(join(dir, first));
    expect(whole).toEqual({
      code: 0,
      output: expect.stringMatching(/is whole: \d+ records \(.*bot 4, post 1.*webhook 4/),
    });
    const text = readFileSync(join(dir, first), 'utf8');
    writeFileSync(join(dir, 'damaged.ndjson'), text.replace('First', 'Worst'));
    expect(await verify(join(dir, 'damaged.ndjson'))).toEqual({ code: 1, output: expect.stringContaining('checksum') });
    writeFileSync(join(dir, 'damaged.ndjson'), text.slice(0, -200));
    expect(await verify(join(dir, 'damaged.ndjson'))).toEqual({
      code: 1,
      output: expect.stringMatching(/line|cut off/),
    });
  });

  /** The events of the older backups that are true. */
  const logged: Readonly<Record<number, readonly string[]>> = {
    1: ['bot.created pull-request-reviewer', 'bot.created invoice-chaser', 'bot.removed weekly-seo-report'],
    2: [
      'bot.created pull-request-reviewer',
      'bot.updated pull-request-reviewer',
      'bot.restored invoice-chaser',
      'bot.removed hidden-helper',
      'bot.removed weekly-seo-report',
    ],
  };

  it.each([1, 2])('in format %i, as the program of that time wrote it, is read', async (version) => {
    const store = await startTestRedis();
    const old = operatorOf(store.url);
    await old.run('import', join(import.meta.dirname, `backup-${version}.ndjson`), '--with-keys');
    expect(await old.run('check')).toEqual([]);
    const restored = await startService({ redis: store, provider: source.provider });
    expect((await restored.get<Bot[]>('/api/bots')).body.map(({ name }) => name)).toEqual([
      'Invoice Chaser',
      'Pull Request Reviewer',
    ]);
    const events = (await restored.get<DirectoryEvent[]>('/api/events')).body;
    expect(events.map(({ type, data }) => `${type} ${'slug' in data ? data.slug : ''}`)).toEqual(logged[version]);
    await restored.stop();
    await store.stop();
  });

  it('is not written to a terminal, which would damage it', needs('script'), () => {
    const command = `node ${join(import.meta.dirname, '../../bin/bot-directory-admin.mjs')} export`;
    const env = { PATH: process.env.PATH, REDIS_URL: source.redis?.url };
    const { stdout, status } = spawnSync(program('script'), ['-qec', command, '/dev/null'], { encoding: 'utf8', env });
    expect(stdout).toMatch(/^Name a file with --file/);
    expect(status).toBe(1);
  });

  type Lines = readonly string[];
  const header = (lines: Lines): string => lines[0] ?? '';
  /** Returns the lines with an end record that counts them. */
  const counted = (lines: Lines): Lines => {
    const records = lines.slice(1).filter((line) => !line.startsWith('{"type":"end"'));
    const sum = createHash('sha256');
    for (const line of [header(lines), ...records]) sum.update(`${line}\n`);
    return [
      header(lines),
      ...records,
      JSON.stringify({ type: 'end', records: records.length, sha256: sum.digest('hex') }),
    ];
  };
  /** Changes the lines of one type, and the end record to match. */
  const changed = (type: string, change: (line: string) => string[]) => (lines: Lines) =>
    counted(lines.flatMap((line) => (line.startsWith(`{"type":"${type}"`) ? change(line) : [line])));
  const without = (key: string) => (line: string) => [line.replace(new RegExp(`"${key}":"[^"]*",?`), '')];

  type Change = [string, (lines: Lines) => Lines, RegExp];
  /** Expects that an empty store refuses the changed lines. Returns what the next command of the operator prints. */
  const refused = async (change: Change[1], said: RegExp) => {
    const store = await startTestRedis();
    try {
      const lines = readFileSync(join(dir, first), 'utf8').trimEnd().split('\n');
      writeFileSync(
        join(dir, 'bad.ndjson'),
        change(lines)
          .map((line) => `${line}\n`)
          .join(''),
      );
      const { code, output } = await operatorOf(store.url).attempt('import', join(dir, 'bad.ndjson'));
      expect([code, output]).toEqual([1, expect.stringMatching(said)]);
      return await operatorOf(store.url).attempt('bots');
    } finally {
      await store.stop();
    }
  };

  it.each<Change>([
    ['an empty file', () => [], /is empty/],
    ['another format', () => ['{"format":"other"}'], /line 1 /],
    [
      'a later format',
      ([, ...rest]) => ['{"format":"bot-directory-backup","version":9,"model":1}', ...rest],
      /line 1 /,
    ],
    ['a later model', () => ['{"format":"bot-directory-backup","version":2,"model":99}'], /data model 99/],
    ['an unknown record', (lines) => [header(lines), '{"type":"x"}'], /line 2/],
    ['cut in a line', (lines) => [...lines.slice(0, 3), '{"type":"bo'], /line 4 /],
    ['a bot without an id', changed('bot', without('id')), /line \d+: fields\.id/],
    ['of an empty store', (lines) => counted([header(lines)]), /no bot, no post and no webhook/],
    [
      'of an emptied store',
      (lines) => counted(lines.filter((line) => !/^\{"type":"(bot|post|event|webhook)"/.test(line))),
      /no bot, no post and no webhook/,
    ],
  ])('that is %s is refused, and leaves the store empty', async (_, change, said) => {
    expect(await refused(change, said)).toMatchObject({ code: 0 });
  });

  it.each<Change>([
    ['cut between two lines', (lines) => lines.slice(0, -3), /cut off/],
    ['without a line in its middle', (lines) => lines.filter((_, i) => i !== 3), /it had \d+ records/],
    ['changed in one letter', (lines) => lines.map((line) => line.replace('First', 'Worst')), /checksum/],
    ['two files', (lines) => [...lines, ...lines], /after the end/],
    ['a bot twice', changed('bot', (line) => [line, line]), /type bot is there twice/],
    ['a webhook twice', changed('webhook', (line) => [line, line]), /type webhook is there twice/],
    [
      'a webhook elsewhere',
      changed('webhook', (line) => [
        line.replace(/"partition":\d+/, (was) => (was === '"partition":0' ? '"partition":1' : '"partition":0')),
      ]),
      /damaged: .*wrong partition/,
    ],
    [
      'a webhook of no partition',
      changed('webhook', (line) => [line.replace(/"partition":\d+/, '"partition":16')]),
      /partition/,
    ],
    [
      'a webhook without a URL',
      changed('webhook', (line) => [line.replace(/"url":"[^"]*"/, '"url":"nowhere"')]),
      /url/,
    ],
    [
      'a cursor beyond the log',
      changed('webhook', (line) => [line.replace(/"cursor":\d/, '"cursor":8')]),
      /the cursor of webhook .* is after the last event/,
    ],
    [
      'events in another order',
      (lines) => {
        const events = lines.filter((line) => line.startsWith('{"type":"event"')).reverse();
        return changed('event', () => [events.shift() ?? ''])(lines);
      },
      /not in its order/,
    ],
    ['half an entry', changed('event', (line) => [line.replace('"entry":["id",', '"entry":[')]), /entry/],
    [
      'a slug of two',
      (lines) => changed('bot', (line) => [line.replace(/"slug":"[^"]*"/, '"slug":"first"')])(lines),
      /damaged: .*slug/,
    ],
    [
      'two bots at one position',
      changed('bot', (line) => [line.replace(/"position":\d+/, '"position":5')]),
      /damaged: .*position/,
    ],
  ])('that is %s is refused, and leaves a store that no server takes', async (_, change, said) => {
    expect(await refused(change, said)).toEqual({ code: 1, output: expect.stringContaining('import again') });
  });

  it('that is interrupted leaves no file', async () => {
    const store = await startTestRedis();
    const other = operatorOf(store.url);
    await other.run('import', join(dir, first));
    const redis = new Redis(store.url);
    await redis.del('bots:{directory}:audit');
    await redis.set('bots:{directory}:audit', 'not a stream');
    const { code, output } = await other.attempt('export', '--file', join(dir, 'half.ndjson'));
    expect([code, output]).toEqual([1, expect.stringMatching(/^Redis: WRONGTYPE .* `check` finds what is damaged\.$/)]);
    expect(existsSync(join(dir, 'half.ndjson'))).toBe(false);
    redis.disconnect();
    await store.stop();
  });
});

describe('a server', () => {
  it.each([
    ['a later data model', { model: '99' }, 'start a newer server'],
    ['an unfinished import', { model: '1', import: 'unfinished' }, 'import again'],
  ])('does not start on %s, and says why', async (_, state, said) => {
    const store = await startTestRedis();
    const redis = new Redis(store.url);
    await redis.hset('bots:{directory}:state', state);
    const server = spawnProcess({ TEMPLATE_HOST: 'templates.example.com', REDIS_URL: store.url });
    expect(await server.ended()).toBe(1);
    expect(server.output()).toContain(said);
    redis.disconnect();
    await store.stop();
  });
});

describe('check and rebuild', () => {
  it('find what is wrong, and derive again what can be derived', async () => {
    const redis = new Redis(empty.url);
    const id = await redis.hget('bots:{directory}:slugs', 'first');
    await redis.del('bots:{directory}:templates', 'bots:{directory}:statuses');
    await redis.hdel('bots:{directory}:slugs', 'first');
    await redis.zrem('bots:{directory}:changes', id ?? '');
    const counts = [
      ...(await redis.keys('bots:{webhooks-*}:hosts')),
      ...(await redis.keys('bots:{webhooks-*}:domains')),
    ];
    for (const key of counts) await redis.hset(key, '127.0.0.1', 9);
    const found = await to.run<{ finding: string; fix: string }[]>('check');
    expect(found.length).toBeGreaterThan(3);
    expect(new Set(found.map(({ fix }) => fix))).toEqual(new Set(['rebuild']));
    for (const key of counts)
      expect(found.map(({ finding }) => finding)).toContain(`some of ${key} are missing or wrong`);
    await to.run('rebuild');
    expect(await to.run('audit', '--limit', '1')).toMatchObject([{ action: 'rebuild' }]);
    expect(await to.run('check')).toEqual([]);
    expect(await to.run('audit', '--limit', '1')).toMatchObject([{ action: 'rebuild' }]);

    await redis.del(`bots:{directory}:bot:${id}`);
    const lost = await to.run<{ finding: string; fix: string }[]>('check');
    expect(lost).toContainEqual({ finding: `bot ${id} is in a list, but its hash is missing`, fix: 'by hand' });
    redis.disconnect();
  });
});
