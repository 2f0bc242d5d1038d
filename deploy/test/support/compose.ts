/** The way with compose: what compose.yaml says is started by a stub of `docker`, with a name server of ours. */
import { expect } from 'vitest';
import { startNameServer } from '@bot-directory/testing/name-server';
import { addEngine, addService, addressesOf, imagesOwn } from './containers.ts';
import { compose, type ComposeService } from './documents.ts';
import { read, root } from './files.ts';
import { ownSettings, startProvider, type Layout, type Way } from './layout.ts';
import { needsMachine, startMachine, type Machine } from './machine.ts';
import { block } from './manual.ts';

/**
 * The commands of the manual. `up` makes as many web containers as `--scale` or compose.yaml says, and replaces those
 * of another image, all at once.
 */
const docker = (replicas: number): string => String.raw`
stop() {
  local name
  end "$@"
  for name; do mv $name/address $name/stopped; done
}
up() {
  local scale=${replicas} word name old
  for word; do case $word in web=*) scale=${'${word#web=}'} ;; esac; done
  [[ $* != *--build* ]] || echo $RANDOM$RANDOM >/srv/image
  for name in redis worker proxy; do [[ $(all $name) ]] || start $name; done
  if [[ $* != *--no-recreate* ]]; then
    old=$(for name in $(all web); do cmp -s $name/image /srv/image || echo $name; done)
    if [[ $old ]]; then stop $old && rm -r $old; fi
  fi
  while (($(all web | wc -l) > scale)); do name=$(all web | tail -n 1) && stop $name && rm -r $name; done
  while (($(all web | wc -l) < scale)); do start web; done
  [[ $* != *--wait* ]] || for name in $(all web); do until_ready $name; done
}
run() {
  local here=/srv/none there=/none
  if [[ $1 == --volume ]]; then here=${'${2%:*}'} there=${'${2#*:}'} && shift 2; fi
  shift
  mkdir -p $here $there
  mapfile -t settings </srv/services/admin/environment
  unshare --mount bash -c 'mount --bind $0 $1 && shift && exec "$@"' $here $there \
    "${'${as_image[@]}'}" "${'${settings[@]}'}" bot-directory-admin "$@"
}
case "$*" in
  'compose build') echo $RANDOM$RANDOM >/srv/image ;;
  'compose ps --quiet web') all web ;;
  'compose exec --no-TTY '*) shift 4 && exec "$@" ;;
  'compose run --rm --no-TTY '*) shift 4 && run "$@" ;;
  'compose up '*) up "$@" ;;
  'stop '*) shift && stop "$@" ;;
  'rm '*) shift && rm -r "$@" ;;
  *) echo "docker: $*" >&2 && exit 1 ;;
esac
`;

/** Its image listens on every address, without protected mode. */
const redisOf = ({ command = [] }: ComposeService): string =>
  `${command.map((word) => `'${word}'`).join(' ')} --bind "$HOST" --protected-mode no --dir /srv/redis`;

/** Writes what compose.yaml says of its services that are ours. What listens everywhere there has an address here. */
const addServices = (machine: Machine, gateway: string): void => {
  const { web, worker, admin, redis } = compose.services;
  /** Those of the operator's variables, none of which is set. */
  const defaults = (environment: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]),
    );
  for (const [name, service] of Object.entries({ web, worker, admin }))
    addService(machine, name, {
      environment: { ...defaults(service?.environment), ...ownSettings },
      command: `env METRICS_ADDRESS="$HOST:$METRICS_ADDRESS" ${imagesOwn}`,
    });
  if (redis !== undefined) addService(machine, 'redis', { environment: {}, command: redisOf(redis) });
  const configuration = read('deploy/haproxy/compose.cfg')
    .replace('127.0.0.11:53', `${gateway}:53`)
    .replace('bind :3000', `bind ${machine.v4}:3000`);
  machine.write('/srv/proxy/haproxy.cfg', configuration);
  machine.write('/srv/proxy/trusted-edges', read('deploy/haproxy/trusted-edges'));
  addService(machine, 'proxy', { environment: {}, command: 'haproxy -db -f /srv/proxy/haproxy.cfg' });
};

const install = async (): Promise<Layout> => {
  const machine = await startMachine();
  const names = await startNameServer(
    (name, family) => (family === 4 ? (name === 'proxy' ? [machine.v4] : addressesOf(machine, name)) : []),
    { host: machine.gateway, port: 53 },
  );
  await machine.succeed(`echo nameserver ${machine.gateway} >/etc/resolv.conf; mkdir /srv/redis`);
  await addEngine(machine, 'docker', docker(compose.services.web?.deploy?.replicas ?? 1));
  addServices(machine, machine.gateway);
  await startProvider(machine);
  const where = { cwd: '/srv/clone' };
  await machine.succeed(
    `mkdir /srv/clone; cp -r --parents compose.yaml deploy/haproxy deploy/prometheus deploy/grafana /srv/clone`,
    { cwd: root },
  );
  const follow = (commands: string): Promise<string> => machine.succeed(block('layout: compose') + commands, where);
  await follow(block('docker compose up', '--build'));
  return {
    machine,
    follow,
    url: `http://${machine.v4}:3000`,
    backUp: () => follow(block('--volume "$PWD/backups:/backups"')),
    restore: () =>
      follow(`redis-cli -h redis flushall
        bot-directory-admin import - --resume --with-keys <"$(ls backups/bot-directory-*.ndjson | tail -n 1)"`),
    upgrade: async () => {
      const before = addressesOf(machine, 'web');
      await follow(block('docker compose build'));
      const after = addressesOf(machine, 'web');
      expect([after.length, after.filter((address) => before.includes(address))]).toEqual([before.length, []]);
    },
    stop: async () => {
      await names.stop();
      await machine.stop();
    },
  };
};

export const composeWay: Way = { name: 'compose', needs: needsMachine('haproxy'), install };
