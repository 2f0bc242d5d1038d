/** The way with npx: a release's tarball, as README has it, for two processes on their own ports behind HAProxy. */
import { read } from './files.ts';
import { ownSettings, startDebiansRedis, startProvider, type Layout, type Way } from './layout.ts';
import { needsMachine, startMachine } from './machine.ts';
import { block } from './manual.ts';
import { installProxy, publish } from './systemd.ts';

/** The commands of README. */
const [, settings = '', command = ''] =
  /^(export BASE_URL=.*\n)(npx --yes --package=\S+ \\\n.*)$/m.exec(read('README.md')) ?? [];
const npx = command.replace(/\\\n.*/, '');

const install = async (): Promise<Layout> => {
  const machine = await startMachine();
  await publish(machine);
  // There is no registry to ask about what the tarball lacks, which is nothing: npm would try for half a minute.
  machine.write('/root/.npmrc', 'offline=true\n');
  await Promise.all([startProvider(machine), startDebiansRedis(machine)]);
  const own = Object.entries({ ...ownSettings, TRUST_PROXY: 'loopback' }).map(([name, value]) => `${name}=${value}`);
  const shell = `${settings}export backups=backups ${own.join(' ')}\n`;
  const follow = (commands: string): Promise<string> =>
    machine.succeed(`${shell}${npx} -c 'bash --norc -euo pipefail /dev/stdin' <<'COMMANDS'\n${commands}\nCOMMANDS`);
  const start = (port: number): string => `
    systemd-run --quiet --unit=npx-${port} --setenv=PORT=${port} --setenv=HOST=127.0.0.1 --setenv=HOME \
      --setenv={BASE_URL,REDIS_URL,TEMPLATE_HOST,${own.map((one) => one.split('=')[0]).join()}} ${command}
    timeout 120 sh -c "until curl -fsS http://127.0.0.1:${port}/readyz; do sleep 0.1; done"\n`;
  const run = (commands: string): Promise<string> => machine.succeed(shell + commands);
  await run(start(3001) + start(3002));
  // Its configuration is in the same tarball.
  await machine.succeed(`${block('version=')}unpack /opt/bot-directory`);
  await installProxy(machine, 'haproxy');
  return {
    machine,
    follow,
    url: `https://${machine.v4}`,
    backUp: () => follow(block('bot-directory-admin backup "$backups" --with-keys')),
    restore: () =>
      follow(`redis-cli flushall\n${block('bot-directory-admin import "$backup"').replace('6380', '6379')}`),
    upgrade: () => run([3001, 3002].map((port) => `systemctl stop npx-${port}\n${start(port)}`).join('')),
    stop: () => machine.stop(),
  };
};

export const npxWay: Way = { name: 'npx, haproxy', needs: needsMachine('haproxy'), install };
