/**
 * The manual's upgrade with compose, behind a real HAProxy with compose.cfg: two web containers are replaced, and no
 * request is lost. There is no engine here: `docker` is a stub, whose web containers are processes with addresses of
 * their own, and the engine's name server is ours. Skipped without HAProxy.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { startClient } from '@bot-directory/testing/client';
import { startNameServer } from '@bot-directory/testing/name-server';
import { needs } from '@bot-directory/testing/needs';
import { startTestRedis } from '@bot-directory/testing/redis';
import { until } from '@bot-directory/testing/until';
import { runForOutput, startChild, stopChild } from '../../scripts/child.mjs';
import { freePort } from '../../scripts/port.mjs';
import { program } from '../../scripts/programs.mjs';
import { compose } from './support/documents.ts';
import { read, root } from './support/files.ts';
import { block } from './support/manual.ts';

/**
 * What the manual's commands do to web containers, each of which is a folder with its process's id, its address and
 * its image. `up` makes as many as --scale or compose.yaml says, and replaces those of another image, all at once.
 */
const docker = `#!/usr/bin/env bash
set -eu
cd "$CONTAINERS"
start() {
  local id
  id=$(( $(cat last) + 1 )); echo $id >last; mkdir web-$id; cp ../image web-$id/
  HOST=127.0.0.$((20 + id)) setsid "$NODE" "$MAIN" </dev/null >/dev/null 2>&1 &
  echo $! >web-$id/pid
  echo 127.0.0.$((20 + id)) >web-$id/address
}
stop() {
  for name; do kill "$(cat $name/pid)"; done
  for name; do while kill -0 "$(cat $name/pid)" 2>/dev/null; do sleep 0.05; done; mv $name/address $name/stopped; done
}
containers() { find . -maxdepth 1 -name 'web-*' -printf '%f\\n' | sort -V; }
case "$*" in
  'compose build') echo $RANDOM$RANDOM >../image ;;
  'compose ps --quiet web') containers ;;
  'compose exec --no-TTY prometheus wget -qO- http://proxy:8405/metrics') curl -fsS "http://127.0.0.1:$PROXY/metrics" ;;
  'compose up '*)
    scale=$REPLICAS
    for word; do case $word in web=*) scale=\${word#web=} ;; esac; done
    [[ $* != *--build* ]] || echo $RANDOM$RANDOM >../image
    if [[ $* != *--no-recreate* ]]; then
      old=$(for name in $(containers); do cmp -s $name/image ../image || echo $name; done)
      if [[ $old ]]; then stop $old; rm -r $old; fi
    fi
    while (( $(containers | wc -l) > scale )); do name=$(containers | tail -n 1); stop $name; rm -r $name; done
    while (( $(containers | wc -l) < scale )); do start; done
    [[ $* != *--wait* ]] || for name in $(containers); do
      until curl -fsS "http://$(cat $name/address):$PORT/readyz" >/dev/null 2>&1; do sleep 0.1; done
    done
    ;;
  'stop '*) shift; stop "$@" ;;
  'rm '*) shift; rm -r "$@" ;;
  *) echo "docker: $*" >&2; exit 1 ;;
esac
`;

/** Returns the addresses of the containers that run. */
const addressesIn = (containers: string): string[] =>
  readdirSync(containers)
    .map((name) => join(containers, name, 'address'))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8').trim());

/** The shipped configuration, with a name server and ports of here. */
const configuration = (here: { server: string; front: number; metrics: number; port: number }): string =>
  read('deploy/haproxy/compose.cfg')
    .replace('127.0.0.11:53', here.server)
    .replaceAll(/(?<=bind .*:)3000/g, String(here.front))
    .replace('web:3000', `web:${here.port}`)
    .replace(':8405', `127.0.0.1:${here.metrics}`);

/** What every container has. */
const settings = {
  NODE: process.execPath,
  MAIN: join(root, 'packages/server/dist/main.js'),
  REPLICAS: String(compose.services.web?.deploy?.replicas ?? 1),
  ROLE: 'web',
  TEMPLATE_HOST: 'bots.example.com',
  WRITE_RATE_LIMIT: '0',
  LOG_LEVEL: 'silent',
  TRUST_PROXY: 'loopback',
};

it('loses no request, and ends with as many web containers', needs('haproxy'), async () => {
  const machine = mkdtempSync(join(tmpdir(), 'compose-'));
  chmodSync(machine, 0o755);
  const containers = join(machine, 'containers');
  for (const folder of [containers, join(machine, 'bin')]) mkdirSync(folder);
  writeFileSync(join(machine, 'bin/docker'), docker, { mode: 0o755 });
  writeFileSync(join(machine, 'image'), 'the first');
  writeFileSync(join(containers, 'last'), '0');
  const running = () => addressesIn(containers);
  const names = await startNameServer((name, family) => (name === 'web' && family === 4 ? running() : []));
  const redis = await startTestRedis();
  const front = await freePort();
  const metrics = await freePort();
  const port = await freePort();
  writeFileSync(join(machine, 'haproxy.cfg'), configuration({ server: names.server, front, metrics, port }));
  writeFileSync(join(machine, 'trusted-edges'), '');
  const proxy = startChild(program('haproxy'), ['-db', '-f', join(machine, 'haproxy.cfg')], { stdio: 'ignore' });
  const env = {
    ...settings,
    PATH: [join(machine, 'bin'), process.env.PATH].join(delimiter),
    CONTAINERS: containers,
    PROXY: String(metrics),
    PORT: String(port),
    REDIS_URL: redis.url,
    BASE_URL: `http://127.0.0.1:${front}`,
  };
  const follow = async (commands: string): Promise<void> => {
    const { code, output } = await runForOutput('bash', ['-c', commands], { cwd: root, env });
    expect(code, output).toBe(0);
  };
  const isServed = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${front}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    await follow(block('docker compose up', '--build'));
    await until('the proxy reaches a container', isServed);
    const clients = Array.from({ length: 20 }, () => startClient(`http://127.0.0.1:${front}`));
    const before = running();
    expect(before).toHaveLength(2);
    const upgrade = block('docker compose build');
    await follow(upgrade);
    await follow(upgrade);
    expect(running().filter((address) => !before.includes(address))).toHaveLength(2);
    const results = await Promise.all(clients.map((client) => client.stop()));
    expect(results.flatMap(({ failures }) => failures)).toEqual([]);
    for (const { answered } of results) expect(answered).toBeGreaterThan(1);
  } finally {
    for (const name of readdirSync(containers).filter((one) => one.startsWith('web-')))
      process.kill(Number(readFileSync(join(containers, name, 'pid'), 'utf8')), 'SIGKILL');
    await stopChild(proxy);
    await names.stop();
    await redis.stop();
    rmSync(machine, { recursive: true });
  }
});
