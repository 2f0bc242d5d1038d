/**
 * A machine by the manual alone: install, back up, upgrade twice, go back, and restore on a new machine, with a Redis
 * that is killed and started from its configuration file in between. Except for ports and folders, the blocks run as
 * they stand in docs/OPERATIONS.md: from the archive of a release and from a clone, whatever the operator's umask.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '@bot-directory/testing/needs';
import { startTemplateProvider } from '../../examples/template-provider/src/provider.js';
import { startChild, stopChild } from '../../scripts/child.mjs';
import { freePort } from '../../scripts/port.mjs';
import { makeArchive } from './support/archive.ts';
import { root } from './support/files.ts';
import { makeMachine, type Machine } from './support/machine.ts';
import { block } from './support/manual.ts';
import { redisWith, type Redis } from './support/redis.ts';

const timeout = 240_000;
const ways = [
  { way: 'a release, umask 027', umask: '027', from: 'version=' },
  { way: 'a clone, umask 077', umask: '077', from: 'npm run pack:server' },
];

describe.each(ways)('$way', { timeout }, ({ umask, from }) => {
  const ended: (() => Promise<unknown>)[] = [];
  /** Starts a Redis with a configuration file of its own, which ends with the tests. */
  const redisIn = async (folder: string): Promise<Redis> => {
    const started = await redisWith(folder);
    ended.push(started.kill);
    return started;
  };

  let machine: Machine;
  let redis: Redis;
  let provider: Awaited<ReturnType<typeof startTemplateProvider>>;
  /** Where releases come from. */
  let unpack: string;
  /** Where the operator's shell is. Without a clone, there is nothing. */
  let cwd: string;

  beforeAll(async () => {
    machine = await makeMachine({ umask });
    provider = await startTemplateProvider();
    redis = await redisIn(join(machine.folder, 'redis'));
    unpack = block(from);
    const [, version = ''] = /version=(\S+)/.exec(unpack) ?? [];
    if (version !== '') makeArchive(join(machine.folder, `releases/server-v${version}`), version);
    cwd = version === '' ? root : join(machine.folder, 'opt');
  });
  afterAll(async () => {
    for (const end of ended) await end();
    machine.stop();
    await provider.close();
  });

  const namesAt = async (url: string): Promise<string[]> => {
    const response = await fetch(`${url}/api/bots`);
    return ((await response.json()) as { name: string }[]).map(({ name }) => name);
  };
  const countAt = (port: number) =>
    namesAt(`http://127.0.0.1:${port}`).then(
      ({ length }) => length,
      () => undefined,
    );
  let submitted = 0;
  /** Submits a bot with curl, which keeps no connection to a process that is replaced. */
  const submit = async (): Promise<void> => {
    const link = `https://bots.example.com/bot/${provider.templates[submitted]?.id ?? ''}`;
    const body = ['-H', 'Content-Type: application/json', '-d', JSON.stringify({ link })];
    await promisify(execFile)('curl', ['-fsS', `http://127.0.0.1:${machine.ports[0]}/api/bots/submit`, ...body]);
    submitted += 1;
  };
  const expectAll = async (): Promise<void> => {
    for (const port of machine.ports) await expect.poll(() => countAt(port), { timeout: 120_000 }).toBe(submitted);
  };
  const release = () => readlinkSync(join(machine.folder, 'opt/bot-directory'));
  const systemd = block('layout: systemd');
  const backUp = systemd + block('bot-directory-admin backup backups --with-keys');

  it('gets the Node whose sum its publisher names, and no other', needs('dpkg'), async () => {
    const publisher = join(machine.folder, 'node');
    const name = `node-v24.99.0-linux-${process.arch}`;
    mkdirSync(join(publisher, name, 'bin'), { recursive: true });
    symlinkSync(process.execPath, join(publisher, name, 'bin/node'));
    const publish = 'tar -czf "$0.tar.gz" "$0" && sha256sum "$0.tar.gz" >SHASUMS256.txt';
    execFileSync('sh', ['-euc', publish, name], { cwd: publisher });
    await machine.succeed(block('SHASUMS256.txt'), { cwd: machine.folder });
    expect(readlinkSync(join(machine.folder, 'usr/local/bin/node'))).toBe(process.execPath);
    writeFileSync(join(publisher, `${name}.tar.gz`), 'something else');
    expect((await machine.follow(block('SHASUMS256.txt'), { cwd: machine.folder })).code).not.toBe(0);
  });

  it('is installed, and loses nothing when Redis is killed and starts from its file', async () => {
    await machine.succeed(unpack + block('systemctl daemon-reload'), { cwd });
    machine.configure({ REDIS_URL: redis.url, SHUTDOWN_DELAY: '0s', TEMPLATE_ORIGIN: provider.origin });
    await machine.succeed(block('systemctl enable --now bot-directory-worker'), { cwd });
    await expectAll();
    await submit();
    await redis.kill();
    await redis.start();
    await expectAll();
  });

  it('is backed up by its timer, and by hand', async () => {
    await machine.succeed(block('systemctl enable --now bot-directory-backup.timer'), { cwd });
    const nightly = join(machine.folder, 'var/backups/bot-directory');
    expect(readdirSync(nightly)).toHaveLength(1);
    expect(statSync(nightly).mode & 0o777).toBe(0o700);
    await machine.succeed(backUp, { cwd: machine.folder });
    expect(readdirSync(join(machine.folder, 'backups'))).toHaveLength(1);
  });

  it('is upgraded twice, not at all if there is no release, and goes back', async () => {
    const upgrade = block('release=', 'systemctl restart');
    const before = release();
    expect(
      (await machine.follow(unpack.replace(/(?<=version=|npm run )\S+/, 'none') + upgrade, { cwd })).code,
    ).not.toBe(0);
    expect(release()).toBe(before);
    await expectAll();
    const releases = [before];
    for (let time = 0; time < 2; time += 1) {
      await machine.succeed(unpack + upgrade, { cwd });
      releases.push(release());
      await submit();
      await expectAll();
    }
    expect(new Set(releases).size).toBe(3);
    await machine.succeed(block('"$(readlink /opt/bot-directory.previous)" /opt/bot-directory\n'), { cwd });
    expect(release()).toBe(releases[1]);
    await expectAll();
    await machine.succeed(block('xargs --no-run-if-empty rm -r'), { cwd });
    const kept = readdirSync(join(machine.folder, 'opt')).filter((name) => name.includes('-2'));
    expect(kept.map((name) => join(machine.folder, 'opt', name))).toContain(release());
  });

  it('is restored from its last backup on a new machine, which runs from a clone', async () => {
    await machine.succeed(backUp, { cwd: machine.folder });
    const other = await redisIn(join(machine.folder, 'other-redis'));
    const restore = block('bot-directory-admin import "$backup"').replace('redis://127.0.0.1:6380', other.url);
    await machine.succeed(`${block('layout: clone')}cd ${machine.folder}\n${restore}`);
    await other.kill();
    await other.start();
    const port = await freePort();
    const commands = block('REDIS_URL=redis://127.0.0.1:6379', 'node packages/server/dist/main.js')
      .replace('redis://127.0.0.1:6379', other.url)
      .replace(/^node /m, 'exec node ');
    const env = { ...process.env, HOST: '127.0.0.1', PORT: String(port), BASE_URL: '', SHUTDOWN_DELAY: '0s' };
    const server = startChild('bash', ['-c', commands], { cwd: root, env, stdio: 'ignore' });
    ended.push(() => stopChild(server));
    expect(submitted).toBe(3);
    await expect.poll(() => countAt(port), { timeout: 120_000 }).toBe(submitted);
  });
});
