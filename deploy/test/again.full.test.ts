/** The manual's blocks, once more where the directory runs already. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Layout } from './support/layout.ts';
import { needsMachine, type Machine } from './support/machine.ts';
import { block } from './support/manual.ts';
import { commandsOf, systemdWay } from './support/systemd.ts';

const way = systemdWay({ from: 'a release', proxy: 'haproxy', umask: '077', family: 'v4' });

let layout: Layout;
let machine: Machine;
const read = (file: string): string => readFileSync(machine.at(file), 'utf8');

/** Runs the commands, and expects the files of an operator to stay as they are. */
const expectKept = async (commands: string, ...files: readonly string[]): Promise<void> => {
  for (const file of files) machine.write(file, `${read(file)}# Of the operator.\n`);
  const before = files.map(read);
  await machine.succeed(commands);
  expect(files.map(read)).toEqual(before);
};

const units = ['bot-directory-web@3001', 'bot-directory-web@3002', 'bot-directory-worker'];

describe('the manual, where the directory runs', { timeout: 300_000, ...needsMachine('haproxy', 'amtool') }, () => {
  beforeAll(async () => {
    layout = await way.install();
    ({ machine } = layout);
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

  it('starts alerts on a machine that has no private address', async () => {
    await machine.succeed('ip address flush dev eth0');
    await machine.succeed(block('apt-get install prometheus') + block('amtool check-config'));
    await machine.succeed('systemctl is-active prometheus-alertmanager');
  });
});
