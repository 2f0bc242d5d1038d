/** The manual's blocks where the directory runs already: once more, and with a release that does not start. */
import { readFileSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Layout } from './support/layout.ts';
import { needsMachine, type Machine } from './support/machine.ts';
import { block } from './support/manual.ts';
import { commandsOf, systemdWay } from './support/systemd.ts';

const way = systemdWay({ from: 'a release', proxy: 'haproxy', umask: '077', family: 'v4' });

let layout: Layout;
let machine: Machine;
const read = (file: string): string => readFileSync(machine.at(file), 'utf8');
const link = (name: string): string => readlinkSync(machine.at(`/opt/${name}`));

/** Runs the commands, and expects the files of an operator to stay as they are. */
const expectKept = async (commands: string, ...files: readonly string[]): Promise<void> => {
  for (const file of files) machine.write(file, `${read(file)}# Of the operator.\n`);
  const before = files.map(read);
  await machine.succeed(commands);
  expect(files.map(read)).toEqual(before);
};

/** A release whose processes run, and whose units differ. */
const newer = `unpack() { cp -a "$(readlink /opt/bot-directory)" "$1"
  echo '# Newer.' | tee -a "$1"/deploy/systemd/bot-directory-w*.service >/dev/null; }\n`;
/** A release of which this process does not start. */
const broken = (role: string): string => `unpack() { cp -a "$(readlink /opt/bot-directory)" "$1"
  echo '# Broken.' >>"$1"/deploy/systemd/bot-directory-worker.service
  sed -i '1i if (process.env.ROLE === "${role}") throw new Error("It is broken.");' "$1"/packages/server/dist/main.js
  }\n`;
/** Less patient than the manual. */
const upgradeTo = (unpack: string) =>
  machine.follow(commandsOf.upgrade(unpack).replaceAll('timeout 120', 'timeout 20'));

const units = ['bot-directory-web@3001', 'bot-directory-web@3002', 'bot-directory-web@3003', 'bot-directory-worker'];
const processes = async (): Promise<string[]> =>
  (await machine.succeed(`systemctl show --property MainPID --value ${units.join(' ')}`)).match(/\d+/g) ?? [];
/** Waits until all processes are ready. The units must be those of the release that has these words in them. */
const expectAll = async (words: RegExp): Promise<void> => {
  const ports = [3001, 3002, 3003, 3100].map((port) => `http://127.0.0.1:${port}/readyz`);
  await machine.succeed(`timeout 20 sh -c 'until curl -fsS ${ports.join(' ')}; do sleep 1; done'`);
  expect(await machine.succeed('systemctl cat bot-directory-worker')).toMatch(words);
  expect(await machine.succeed(`systemctl show --property NeedDaemonReload ${units.join(' ')}`)).not.toMatch(/=yes/);
};

describe('the manual, where the directory runs', { timeout: 300_000, ...needsMachine('haproxy', 'amtool') }, () => {
  beforeAll(async () => {
    layout = await way.install();
    ({ machine } = layout);
    machine.write('/etc/bot-directory/web-3003', 'METRICS_ADDRESS=127.0.0.1:9467\n');
    await machine.succeed('systemctl enable --now bot-directory-web@3003');
  }, 300_000);
  afterAll(() => layout.stop());

  it('keeps the settings when it installs again', async () => {
    const files = ['environment', 'web-3001', 'web-3002'].map((name) => `/etc/bot-directory/${name}`);
    await expectKept(commandsOf.install(block('version=')), ...files);
  });

  it('keeps the certificate, and makes one where none is', async () => {
    const file = '/etc/ssl/private/bot-directory.pem';
    const placeholder = block('-subj /CN=placeholder');
    await expectKept(placeholder, file);
    machine.write(file, '');
    await machine.succeed(placeholder);
    expect(read(file)).toMatch(/PRIVATE KEY[^]*CERTIFICATE/);
  });

  it.each([
    ['haproxy', '/etc/haproxy/haproxy.cfg'],
    ['prometheus', '/etc/prometheus/prometheus.yml'],
    ['prometheus', '/etc/prometheus/alertmanager.yml'],
  ])('has a copy of what it replaces: %s, %s', async (name, file) => {
    machine.write(file, `${read(file)}# Of the operator.\n`);
    for (let time = 0; time < 2; time += 1) await machine.succeed(block(`apt-get install ${name}`));
    expect(read(file)).not.toMatch(/Of the operator/);
    await machine.succeed(`grep 'Of the operator' ${file}.~*~`);
  });

  it('renames a category once', async () => {
    const rename = block('BOT_CATEGORIES=');
    const restart = `systemctl restart ${units.join(' ')}
      timeout 60 sh -c 'until curl -fsS http://127.0.0.1:3001/readyz; do sleep 1; done'\n`;
    await layout.follow(rename + restart + rename);
    expect(read('/etc/bot-directory/environment').match(/^BOT_CATEGORIES=.*Growth=.*$/gm)).toEqual([
      expect.stringMatching(/^BOT_CATEGORIES=([^=]*,)?Growth=Marketing(,[^=]*)?$/),
    ]);
  });

  it('upgrades every web process, the worker and the units, and goes back', async () => {
    const first = link('bot-directory');
    const before = await processes();
    expect(await upgradeTo(newer)).toMatchObject({ code: 0 });
    await expectAll(/Newer/);
    expect((await processes()).filter((pid) => before.includes(pid))).toEqual([]);
    expect(link('bot-directory.previous')).toBe(first);
    const upgraded = await processes();
    await machine.succeed(commandsOf.goBack());
    await expectAll(/^(?![^]*Newer)/);
    expect((await processes()).filter((pid) => upgraded.includes(pid))).toEqual([]);
    expect(link('bot-directory')).toBe(first);
  });

  it('leaves no trace of releases of which a process does not start', async () => {
    expect(await upgradeTo(newer)).toMatchObject({ code: 0 });
    const good = link('bot-directory');
    const previous = link('bot-directory.previous');
    for (const role of ['web', 'worker']) {
      expect(await upgradeTo(broken(role))).not.toMatchObject({ code: 0 });
      await expectAll(/^(?![^]*Broken)/);
      expect([link('bot-directory'), link('bot-directory.previous')]).toEqual([good, previous]);
    }
    await machine.succeed(block('xargs --no-run-if-empty rm -r'));
    const left = await machine.succeed('ls -d /opt/bot-directory-*T*');
    expect(left.trim().split('\n')).toEqual([previous, good].toSorted());
  });

  it('starts alerts on a machine that has no private address', async () => {
    await machine.succeed('ip address flush dev eth0');
    await machine.succeed(block('apt-get install prometheus') + block('amtool check-config'));
    await machine.succeed('systemctl is-active prometheus-alertmanager');
  });
});
