/**
 * A machine for the manual: a folder that stands for its root, and ports that are free here. Its blocks run as they
 * stand there. `systemctl`, which needs root and systemd, is a stub that starts what a unit says, as another user if it
 * may; so is `npm`, whose build has already run. A release is downloaded from the folder `releases`.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'vitest';
import { runForOutput } from '../../../scripts/child.mjs';
import { freePort } from '../../../scripts/port.mjs';
import { root } from './files.ts';

/**
 * Starts and restarts processes as their units say, as a user who owns nothing, on ports that are free here. A timer
 * must exist; what it starts, `start` runs to its end, as root.
 */
const systemctl = `#!/usr/bin/env bash
set -eu
case $1 in daemon-reload) exit ;; enable) shift 2 ;; restart | start) shift ;; esac
nobody=
[[ $EUID != 0 ]] || nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
for name; do
  file=$MACHINE/etc/systemd/system/\${name%@*}
  [[ $name != *.timer ]] || { grep -q '^OnCalendar=' "$file"; continue; }
  [[ $name != *@* ]] || file+=@
  file+=.service
  value() { sed -n "s/^$1=//p" "$file" | sed "s/%i/\${name#*@}/"; }
  # The files of web processes have the names of the manual's ports.
  files=$(value EnvironmentFile | sed "s|^|$MACHINE|; s|web-\${PORTS% *}$|web-3001|; s|web-\${PORTS#* }$|web-3002|")
  start=$(value ExecStart | sed -E "s#(^| )/(opt|var)#\\1$MACHINE/\\2#g")
  if [[ $(value Type) == oneshot ]]; then
    (umask "$(value UMask)"; env $(cat $files | grep -v '^#') $start)
    continue
  fi
  pid=$MACHINE/run/$name
  if [[ -f $pid ]]; then
    kill "$(cat "$pid")"
    while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.05; done
  fi
  own=$(value Environment; cat $files | grep -v '^#')
  env $(sed 's/PORT=3100/PORT=0/; s/\\(METRICS_ADDRESS=.*\\):.*/\\1:0/' <<<"$own") \\
    setsid $nobody $start </dev/null >>"$MACHINE/log" 2>&1 &
  echo $! >"$pid"
done
`;
/** What pack:server makes of the build, which is the same each time. With FAIL it fails as a build does. */
const npm = `#!/usr/bin/env bash
[[ $1 == run && $2 == pack:server && -z \${FAIL-} ]] || exit 1
"$NODE" deploy/src/pack-server.mjs "$4" >/dev/null
`;

/** Where Node comes from: on the machine, the folder `node`. */
const nodes = 'https://nodejs.org/dist/latest-v24.x';
const releases = 'https://github.com/public-bot-directory/public-bot-directory/releases/download';

export type Machine = Awaited<ReturnType<typeof makeMachine>>;

/** Commands of the manual with the folder and ports of a machine. */
const inMachine = (commands: string, folder: string, ports: readonly [number, number]): string =>
  commands
    .replaceAll(releases, `file://${folder}/releases`)
    .replaceAll(nodes, `file://${folder}/node`)
    .replaceAll(/(?<![\w.:/])\/(?=opt|etc|var|usr\/local)/g, `${folder}/`)
    // Whole numbers: another port may end with these digits.
    .replaceAll(/(?<!web-)\b3001\b/g, String(ports[0]))
    .replaceAll(/(?<!web-)\b3002\b/g, String(ports[1]))
    // Otherwise two releases within a second would have the same name.
    .replace('%H%M%S)', '%H%M%S%N)');

/** Makes one with two web processes. `umask`: of the operator's shell. End it with `stop`. */
export const makeMachine = async ({ umask = '022' } = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'machine-'));
  // Other users find what is in it, as below a real root.
  chmodSync(folder, 0o755);
  for (const name of ['bin', 'opt', 'run', 'etc/systemd/system', 'usr/local', 'var/backups'])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'bin/systemctl'), systemctl, { mode: 0o755 });
  writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 });
  const ports = [await freePort(), await freePort()] as const;
  const settingsFile = join(folder, 'etc/bot-directory/environment');
  /** Runs commands of the manual, and returns their exit code and what they printed. */
  const follow = (
    commands: string,
    { cwd = root, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
  ): Promise<{ code: number; output: string }> => {
    const environment = {
      PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
      HOME: process.env.HOME,
      MACHINE: folder,
      PORTS: ports.join(' '),
      NODE: process.execPath,
      ENVIRONMENT_FILE: settingsFile,
      ...env,
    };
    // A file, not -c, so that nothing but the manual's own `set -e` applies.
    const script = join(folder, 'block.sh');
    writeFileSync(script, `umask ${umask}\n${inMachine(commands, folder, ports)}`);
    // Not spawnSync, which blocks this process: a process that stops waits until this one closes its connections.
    return runForOutput('bash', [script], { cwd, env: environment });
  };
  return {
    folder,
    ports,
    settingsFile,
    follow,
    succeed: async (...input: Parameters<typeof follow>): Promise<string> => {
      const { code, output } = await follow(...input);
      expect(code, output).toBe(0);
      return output;
    },
    /** Adds these to the settings of its processes. */
    configure: (settings: Record<string, string>): void => {
      const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
      const kept = readFileSync(settingsFile, 'utf8')
        .split('\n')
        .filter((line) => line !== '' && !Object.keys(settings).some((name) => line.startsWith(`${name}=`)));
      writeFileSync(settingsFile, `${[...kept, ...lines].join('\n')}\n`);
    },
    /** Ends every process. */
    stop: (): void => {
      for (const name of readdirSync(join(folder, 'run'))) {
        const pid = Number(readFileSync(join(folder, 'run', name), 'utf8'));
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended.
        }
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
