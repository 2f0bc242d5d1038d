/** The ways with systemd: Debian's packages, a release or a clone, and either proxy. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeArchive } from './archive.ts';
import { root } from './files.ts';
import { ownSettings, startDebiansRedis, startProvider, type Layout, type Way } from './layout.ts';
import { needsMachine, startMachine, type Machine } from './machine.ts';
import { block } from './manual.ts';

type Options = {
  readonly from: 'a release' | 'a clone';
  readonly proxy: 'haproxy' | 'nginx';
  /** Of the operator's shell. */
  readonly umask: string;
  readonly family: 'v4' | 'v6';
  /** Settings of its own. */
  readonly settings?: Readonly<Record<string, string>>;
};

/** Adds these to the settings of its processes, in place of those that are there. */
export const configure = (machine: Machine, settings: Readonly<Record<string, string>>): void => {
  const file = '/etc/bot-directory/environment';
  const kept = readFileSync(machine.at(file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !Object.keys(settings).some((name) => line.startsWith(`${name}=`)));
  machine.write(
    file,
    `${[...kept, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)].join('\n')}\n`,
  );
};

/** Puts the archive of a release where the manual downloads it from. */
export const publish = async (machine: Machine): Promise<void> => {
  const version = /version=(\S+)/.exec(block('version='))?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'published-'));
  cpSync(
    await makeArchive(folder, version),
    machine.at(`/srv/releases/server-v${version}/bot-directory-server-${version}.tgz`),
  );
  rmSync(folder, { recursive: true });
};

/** What installs a release, upgrades to one, or goes back. `unpack`: the block that says where it comes from. */
export const commandsOf = {
  install: (unpack: string): string => unpack + block('release=', 'environment web-3001'),
  upgrade: (unpack: string): string => unpack + block('replace() {') + block('release=', 'replace "$release"'),
  goBack: (): string => block('replace() {') + block('replace "$previous"'),
};

export const installProxy = (machine: Machine, proxy: Options['proxy']): Promise<string> =>
  machine.succeed(`${block('-subj /CN=placeholder')}${block(`apt-get install ${proxy}`)}`);

const install = async ({ from, proxy, umask, family, settings = {} }: Options): Promise<Layout> => {
  const machine = await startMachine({ umask });
  const isClone = from === 'a clone';
  const unpack = block(isClone ? 'npm run pack:server' : 'version=');
  const where = { cwd: isClone ? root : '/root' };
  if (!isClone) await publish(machine);
  await Promise.all([startProvider(machine), startDebiansRedis(machine)]);
  await machine.succeed(commandsOf.install(unpack), where);
  configure(machine, { ...ownSettings, ...settings });
  await machine.succeed(block('systemctl enable --now bot-directory-worker'));
  await installProxy(machine, proxy);
  const follow = (commands: string): Promise<string> => machine.succeed(block('layout: systemd') + commands);
  const exported = Object.entries(settings).map(([name, value]) => `export ${name}=${value}\n`);
  return {
    machine,
    follow,
    url: family === 'v6' ? `https://[${machine.v6}]` : `https://${machine.v4}`,
    backUp: () => follow(block('bot-directory-admin backup "$backups" --with-keys')),
    restore: () =>
      follow(
        `redis-cli flushall\n${exported.join('')}${block('bot-directory-admin import "$backup"').replace('6380', '6379')}`,
      ),
    upgrade: () => machine.succeed(commandsOf.upgrade(unpack), where),
    stop: () => machine.stop(),
  };
};

/** Makes the way with these. */
export const systemdWay = (options: Options): Way => ({
  name: `${options.from}, systemd, ${options.proxy}, umask ${options.umask}`,
  needs: needsMachine(options.proxy),
  install: () => install(options),
});
