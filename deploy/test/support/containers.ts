/**
 * Containers without an engine: processes on a machine, each with an address of its own there, as the image's user.
 * What the image holds is what pack:server writes.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';
import { image } from './image.ts';
import type { Machine } from './machine.ts';

/** A container of a kind. Its command has its address as `$HOST`. */
export type Service = { readonly environment: Readonly<Record<string, string>>; readonly command: string };

const user = image.user.split(':')[0] ?? '';
const entry = [...image.entrypoint, `/srv/app/${image.command.join(' ')}`].join(' ');

/** What the stubs of engines do with containers. Each is a folder in /run/containers. */
const library = String.raw`#!/usr/bin/env bash
set -euo pipefail
all() { find . -maxdepth 1 -name "$1-*" -printf '%f\n' | sort -V; }
as_image=(setpriv --reuid=${user} --regid=${user} --clear-groups env -i "PATH=/srv/app/bin:$PATH")
start() {
  local id=$(($(cat last) + 1)) name=$1-$(($(cat last) + 1)) settings
  echo $id >last
  mkdir $name
  cp /srv/image $name/image
  read -r net first </srv/network
  ip address add $net.$((first + id))/32 dev eth0
  echo $net.$((first + id)) >$name/address
  mapfile -t settings </srv/services/$1/environment
  env -i PATH="$PATH" "${'${settings[@]}'}" HOST=$(cat $name/address) \
    setsid bash -c "exec $(cat /srv/services/$1/command)" </dev/null >>/var/log/containers 2>&1 &
  echo $! >$name/pid
}
until_ready() { until curl -fsS "http://$(cat $1/address):3000/readyz" >/dev/null 2>&1; do sleep 0.1; done; }
end() {
  local name
  for name; do kill "$(cat $name/pid)"; done
  for name; do while kill -0 "$(cat $name/pid)" 2>/dev/null; do sleep 0.05; done; done
}
cd /run/containers
`;

/** The command of a container that starts what the image starts. */
export const imagesOwn = `setpriv --reuid=${user} --regid=${user} --clear-groups ${entry}`;

/** Prepares a machine for containers, and for an engine's stub of this name. */
export const addEngine = async (machine: Machine, name: string, commands: string): Promise<void> => {
  machine.write('/srv/image', 'the first');
  machine.write('/run/containers/last', '0');
  const [, net = '', first = ''] = /^(.*)\.(\d+)$/.exec(machine.v4) ?? [];
  machine.write('/srv/network', `${net} ${first}\n`);
  machine.write(`/usr/local/sbin/${name}`, library + commands, 0o755);
  await machine.succeed(`node ${root}/deploy/src/pack-server.mjs /srv/app`);
};

/** Says what containers of a service are. */
export const addService = (machine: Machine, name: string, { environment, command }: Service): void => {
  const all = { ...image.environment, ...environment };
  const lines = Object.entries(all).map(([setting, value]) => `${setting}=${value}`);
  machine.write(`/srv/services/${name}/environment`, `${lines.join('\n')}\n`);
  machine.write(`/srv/services/${name}/command`, command);
};

/** Returns the addresses of the containers of a service that run. */
export const addressesOf = (machine: Machine, service: string): string[] => {
  const folder = machine.at('/run/containers');
  return readdirSync(folder)
    .filter((name) => new RegExp(`^${service}-\\d+$`).test(name))
    .map((name) => join(folder, name, 'address'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8').trim());
};
