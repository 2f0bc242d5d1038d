/**
 * A machine by the manual alone: install, back up, upgrade twice, go back, and restore on a new machine, with a Redis
 * that is killed and started from its configuration file in between. Except for ports and folders, the blocks run as
 * they stand in docs/OPERATIONS.md. `systemctl`, which needs root, and `npm`, whose build has already run, are stubs.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTemplateProvider } from '../../examples/template-provider/src/provider.js';
import { runForOutput, startChild, stopChild } from '../../scripts/child.mjs';
import { freePort } from '../../scripts/port.mjs';
import { root } from './support/files.ts';
import { block } from './support/manual.ts';
import { redisWith, type Redis } from './support/redis.ts';

/** Starts and restarts processes as their units say, on ports that are free here. */
const systemctl = `#!/usr/bin/env bash
set -eu
case $1 in daemon-reload) exit ;; enable) shift 2 ;; restart) shift ;; esac
for name; do
  file=$MACHINE/etc/systemd/system/\${name%@*}$([[ $name != *@* ]] || echo @).service
  pid=$MACHINE/run/$name
  if [[ -f $pid ]]; then
    kill "$(cat "$pid")"
    while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.05; done
  fi
  own=$(sed -n 's/^Environment=//p' "$file" | sed "s/:1%i/:0/; s/:13100/:0/; s/PORT=3100/PORT=0/; s/%i/\${name#*@}/")
  start=$(sed -n 's|^ExecStart=/usr/bin/node /||p' "$file")
  env $own $(grep -v '^#' "$MACHINE/etc/bot-directory/environment") \\
    setsid "$NODE" "$MACHINE/$start" </dev/null >>"$MACHINE/log" 2>&1 &
  echo $! >"$pid"
done
`;
/** What pack:server makes of the build, which is the same each time. With FAIL it fails as a build does. */
const npm = `#!/usr/bin/env bash
[[ $1 == run && $2 == pack:server && -z \${FAIL-} ]] || exit 1
[[ -d $MACHINE/packed ]] || "$NODE" deploy/src/pack-server.mjs "$MACHINE/packed" >/dev/null
cp -R "$MACHINE/packed" "$4"
`;

const ended: (() => Promise<unknown>)[] = [];
/** Starts a Redis with a configuration file of its own, which ends with the tests. */
const redisIn = async (folder: string): Promise<Redis> => {
  const started = await redisWith(folder);
  ended.push(started.kill);
  return started;
};

let machine: string;
let redis: Redis;
let provider: Awaited<ReturnType<typeof startTemplateProvider>>;
let ports: readonly number[];

beforeAll(async () => {
  machine = mkdtempSync(join(tmpdir(), 'machine-'));
  for (const folder of ['bin', 'opt', 'run', 'etc/systemd/system'])
    mkdirSync(join(machine, folder), { recursive: true });
  writeFileSync(join(machine, 'bin/systemctl'), systemctl, { mode: 0o755 });
  writeFileSync(join(machine, 'bin/npm'), npm, { mode: 0o755 });
  provider = await startTemplateProvider();
  redis = await redisIn(join(machine, 'redis'));
  ports = [await freePort(), await freePort()];
});
afterAll(async () => {
  for (const end of ended) await end();
  for (const name of readdirSync(join(machine, 'run'))) {
    const pid = Number(readFileSync(join(machine, 'run', name), 'utf8'));
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  await provider.close();
  rmSync(machine, { recursive: true, force: true });
});

/** Runs commands of the manual, and returns their exit code and what they printed. */
const follow = async (
  commands: string,
  { cwd = root, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<{ code: number; output: string }> => {
  const here = commands
    .replaceAll(/(?<![\w.])\/(?=opt|etc)/g, `${machine}/`)
    // Whole numbers: another port may end with these digits.
    .replaceAll(/\b3001\b/g, String(ports[0]))
    .replaceAll(/\b3002\b/g, String(ports[1]))
    // Otherwise two releases within a second would have the same name.
    .replace('%H%M%S)', '%H%M%S%N)');
  const environment = {
    PATH: [join(machine, 'bin'), process.env.PATH].join(delimiter),
    MACHINE: machine,
    NODE: process.execPath,
    ENVIRONMENT_FILE: join(machine, 'etc/bot-directory/environment'),
    ...env,
  };
  // A file, not -c, so that nothing but the manual's own `set -e` applies.
  const script = join(machine, 'block.sh');
  writeFileSync(script, here);
  // Not spawnSync, which blocks this process: a process that stops waits until this one closes its connections.
  return runForOutput('bash', [script], { cwd, env: environment });
};
const succeed = async (...input: Parameters<typeof follow>): Promise<void> => {
  const { code, output } = await follow(...input);
  expect(code, output).toBe(0);
};

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
  await promisify(execFile)('curl', ['-fsS', `http://127.0.0.1:${ports[0]}/api/bots/submit`, ...body]);
  submitted += 1;
};
const expectAll = async (): Promise<void> => {
  for (const port of ports) await expect.poll(() => countAt(port), { timeout: 120_000 }).toBe(submitted);
};
const release = () => readlinkSync(join(machine, 'opt/bot-directory'));
const systemd = block('layout: systemd');
const backUp = systemd + block('bot-directory-admin backup backups --with-keys');

it('is installed, and loses nothing when Redis is killed and starts from its file', { timeout: 240_000 }, async () => {
  await succeed(block('cp deploy/systemd/*.service'));
  const file = join(machine, 'etc/bot-directory/environment');
  const own = readFileSync(file, 'utf8').replace(/^REDIS_URL=.*$/m, `REDIS_URL=${redis.url}`);
  writeFileSync(file, `${own}SHUTDOWN_DELAY=0s\nTEMPLATE_ORIGIN=${provider.origin}\n`);
  await succeed(block('systemctl enable'));
  await expectAll();
  await submit();
  await redis.kill();
  await redis.start();
  await expectAll();
});

it('is backed up, twice', { timeout: 240_000 }, async () => {
  for (const night of [1, 2]) {
    await succeed(backUp, { cwd: machine });
    expect(readdirSync(join(machine, 'backups'))).toHaveLength(night);
  }
});

it('is upgraded twice, not at all if the build fails, and goes back', { timeout: 240_000 }, async () => {
  const upgrade = block('release=', 'systemctl restart');
  const before = release();
  expect((await follow(upgrade, { env: { FAIL: 'yes' } })).code).toBe(1);
  expect(release()).toBe(before);
  await expectAll();
  const releases = [before];
  for (let time = 0; time < 2; time += 1) {
    await succeed(upgrade);
    releases.push(release());
    await submit();
    await expectAll();
  }
  expect(new Set(releases).size).toBe(3);
  await succeed(block('"$(readlink /opt/bot-directory.previous)" /opt/bot-directory\n'));
  expect(release()).toBe(releases[1]);
  await expectAll();
  await succeed(block('xargs --no-run-if-empty rm -r'));
  expect(readdirSync(join(machine, 'opt')).filter((name) => name.includes('-2'))).toHaveLength(1);
});

it('is restored from its last backup on a new machine, which runs from a clone', { timeout: 240_000 }, async () => {
  await succeed(backUp, { cwd: machine });
  const other = await redisIn(join(machine, 'other-redis'));
  const restore = block('bot-directory-admin import "$backup"').replace('redis://127.0.0.1:6380', other.url);
  await succeed(`${block('layout: clone')}cd ${machine}\n${restore}`);
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
