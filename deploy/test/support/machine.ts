/**
 * A Debian machine for the manual: systemd is its first process, in namespaces of this machine, whose files it has
 * below a layer of its own. Its programs, packages and their units are real, and so are its ports, which the test
 * reaches over a cable. Three things differ: what the manual downloads comes from folders, `apt-get install` finds its
 * packages there, and `npm run pack:server` builds nothing, because the build came before the tests.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { needs, needsMounts, permitted } from '@bot-directory/testing/needs';
import { until } from '@bot-directory/testing/until';
import { runForOutput, startChild, stopChild } from '../../../scripts/child.mjs';
import { freePort } from '../../../scripts/port.mjs';
import { program } from '../../../scripts/programs.mjs';
import { root } from './files.ts';

/** What a test that starts a machine needs, with these programs. */
export const needsMachine = (...names: Parameters<typeof needs>): ReturnType<typeof needs> => {
  const redis = permitted("Debian's Redis", existsSync('/lib/systemd/system/redis-server.service'));
  const programs = needs('ip', 'nsenter', 'setpriv', 'systemd-analyze', ...names);
  return [needsMounts(), redis, programs].find(({ skip }) => skip === true) ?? {};
};

/** Boots it. $1: its control group, which exists; $2: the project, which may be on another disk. */
const boot = String.raw`
echo $$ >"$1/cgroup.procs"
exec setpriv --pdeathsig KILL unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child bash -euc '
  layer=/mnt
  mount -t tmpfs none $layer
  mkdir $layer/{changed,work,root}
  mount -t overlay -o lowerdir=/,upperdir=$layer/changed,workdir=$layer/work overlay $layer/root
  cd $layer/root
  mount -t proc proc proc
  mount --bind proc/sys proc/sys
  mount -o remount,bind,ro proc/sys
  mount -t sysfs -o ro sysfs sys
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  for folder in run tmp dev; do mount -t tmpfs none $folder; done
  mkdir dev/{pts,shm}
  mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
  ln -s pts/ptmx /proc/self/fd dev
  for name in null zero full random urandom tty; do cp -a /dev/$name dev; done
  mkdir -p ./"$1"
  mount --rbind "$1" ./"$1"
  pivot_root . mnt
  umount -l /mnt
  ip link set lo up
  exec env -i container=other PATH="$PATH" /lib/systemd/systemd --unit=basic.target' boot "$2"
`;

/** What pack:server makes of the build, which is the same each time. */
const npm = `#!/usr/bin/env bash
[[ $1 == run && $2 == pack:server ]] && node deploy/src/pack-server.mjs "$4" >/dev/null
`;

/** All packages are there already. Debian's start what they install. */
const aptGet = `#!/usr/bin/env bash
set -e
dpkg --status "\${@:2}" >/dev/null
for name in "\${@:2}"; do [[ ! -e /lib/systemd/system/$name.service ]] || systemctl start "$name"; done
`;

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What is downloaded, and the folder of the machine from which it comes. */
const downloads = [
  ['https://github.com/public-bot-directory/public-bot-directory/releases/download', '/srv/releases'],
  ['https://nodejs.org/dist/latest-v24.x', '/srv/node'],
] as const;

/** Lays a cable to the network of a process. Returns the addresses at its ends. `number`: nobody else has it now. */
const lay = (name: string, number: number, pid: number) => {
  const ip = (words: string): unknown => execFileSync(program('ip'), words.split(' '), { stdio: 'pipe' });
  const there = (words: string): unknown =>
    execFileSync(program('nsenter'), ['--target', String(pid), '--net', program('ip'), ...words.split(' ')]);
  const v4 = (host: number): string => {
    const address = 64 * number + host;
    return `10.${100 + (address >> 16)}.${(address >> 8) & 255}.${address & 255}`;
  };
  const v6 = (host: number): string => `fd00:b07:${number.toString(16)}::${host}`;
  ip(`link add ${name} type veth peer name eth0 netns ${pid}`);
  ip(`address add ${v4(1)}/26 dev ${name}`);
  ip(`address add ${v6(1)}/64 dev ${name} nodad`);
  ip(`link set ${name} up`);
  there(`address add ${v4(2)}/26 dev eth0`);
  there(`address add ${v6(2)}/64 dev eth0 nodad`);
  there('link set eth0 up');
  return { gateway: v4(1), v4: v4(2), v6: v6(2) };
};

export type Machine = Awaited<ReturnType<typeof startMachine>>;

/** Starts one. `umask`: of the operator's shell. End it with `stop`. */
export const startMachine = async ({ umask = '022' } = {}) => {
  const number = await freePort();
  const name = `machine-${number}`;
  const [, groups = ''] = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
  const group = join(groups, name);
  // A run that was killed may have left it.
  mkdirSync(group, { recursive: true });
  const child = startChild('bash', ['--norc', '-euc', boot, 'boot', group, root], {
    env: { PATH: path },
    stdio: 'ignore',
  });
  const first = (): number => Number(readFileSync(`/proc/${child.pid ?? 0}/task/${child.pid ?? 0}/children`, 'utf8'));
  await until('systemd has begun', () => {
    const pid = first();
    return pid > 0 && readFileSync(`/proc/${pid}/comm`, 'utf8') === 'systemd\n';
  });
  const pid = first();
  const addresses = lay(name, number, pid);
  /** Where this process finds a file of the machine. */
  const at = (file: string): string => `/proc/${pid}/root${file}`;
  const write = (file: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text, { mode });
  };
  const inHere = (commands: string): string =>
    downloads.reduce((text, [from, folder]) => text.replaceAll(from, `file://${folder}`), commands);
  let scripts = 0;
  /** Runs commands of the manual as root. Resolves to their exit code and what they printed. */
  const follow = (commands: string, { cwd = '/root' } = {}) => {
    // A file, not -c, so that nothing but the manual's own `set -e` applies.
    const script = `/run/block-${(scripts += 1)}`;
    write(script, `umask ${umask}\ncd ${cwd}\n${inHere(commands)}`);
    return runForOutput(program('nsenter'), ['--target', String(pid), '--all', 'bash', '--norc', script], {
      env: { PATH: path, HOME: '/root' },
    });
  };
  const succeed = async (...input: Parameters<typeof follow>): Promise<string> => {
    const { code, output } = await follow(...input);
    expect(code, output).toBe(0);
    return output;
  };
  write('/usr/local/sbin/npm', npm, 0o755);
  write('/usr/local/sbin/apt-get', aptGet, 0o755);
  await until('it has started', async () => {
    const { output } = await follow('systemctl is-system-running --wait');
    return /running|degraded/.test(output);
  });
  return {
    ...addresses,
    at,
    write,
    follow,
    succeed,
    stop: async (): Promise<void> => {
      await stopChild(child, { signal: 'SIGKILL' });
      await until('nothing of it is left', () => isRemoved(group));
    },
  };
};

/** Removes a control group and those in it, unless processes are left. */
const isRemoved = (group: string): boolean => {
  try {
    execFileSync('find', [group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
