/**
 * A stranger's walk: every block of docs/OPERATIONS.md in order, on a Debian machine, as an operator whose umask is 077
 * runs it. After each block Redis, the proxy and every process are killed and start again from their own files, and
 * then the directory serves. What this machine lacks is another network: the release, Node's publisher, the authority
 * of the certificate and the templates are on the machine itself. The blocks for containers are run in
 * `ways.full.test.ts`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testCertificate } from '@bot-directory/testing/certificate';
import { until } from '@bot-directory/testing/until';
import { root } from './support/files.ts';
import { ask, namesAt, startDebiansRedis } from './support/layout.ts';
import { needsMachine, startMachine, type Machine } from './support/machine.ts';
import { blocks, type Block } from './support/manual.ts';
import { configure, publish } from './support/systemd.ts';

let machine: Machine;
/** What the operator's shell has by now: the functions and variables of blocks that only define something. */
let shell = '';
/** The units that run by now. */
let units = ['redis-server'];
/** Where the directory is on the machine, once it runs. */
let url = '';

/** What a reader does before and after the block that has these words. */
type Step = {
  readonly words: string;
  readonly before?: () => unknown;
  /** By default, the commands are run in the operator's shell. */
  readonly run?: (commands: string) => Promise<unknown>;
  readonly after?: () => unknown;
};

const follow = (commands: string, cwd?: string): Promise<string> =>
  machine.succeed(`set -euo pipefail\n${shell}${commands}`, cwd === undefined ? {} : { cwd });
const define = (commands: string): Promise<string> => {
  shell += commands;
  return follow('');
};

/** Kills all that runs, and starts it again. The directory must then serve. */
const restartAll = async (): Promise<void> => {
  const all = units.join(' ');
  await machine.succeed(`systemctl kill --signal=KILL ${all}; systemctl reset-failed; systemctl restart ${all}`);
  if (url === '') return;
  const isServed = `curl -fsSk ${url}/healthz/store ${url}/api/bots`;
  await machine.succeed(`timeout 60 sh -c 'until ${isServed}; do sleep 0.05; done' || { journalctl -n 50; false; }`);
};

/** Templates whose names are those of the manual's bots. */
const provider = `
require('node:http').createServer((request, response) => {
  const name = request.url.split('/').pop().replaceAll('-', ' ').replace(/\\b./g, (letter) => letter.toUpperCase());
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ name, description: name + ' does what its name says.' }));
}).listen(4000, '127.0.0.1');
`;

const submitAll = async (): Promise<void> => {
  const post = async (path: string, body: object): Promise<void> => {
    const headers = "-H 'Content-Type: application/json'";
    await machine.succeed(`curl -fsS ${headers} -d '${JSON.stringify(body)}' ${url}${path}`);
  };
  for (const [id, author] of [
    ['free-money-now', '@spammer_a'],
    ['cheap-pills', '@spammer_b'],
    ['honest-work', '@honest'],
  ])
    await post('/api/bots/submit', { link: `https://bots.example.com/bot/${id}`, author, categories: ['Marketing'] });
  await post('/api/bots/free-money-now/reports', { reason: 'spam' });
};

/** Makes a folder that is Node's publisher. */
const publishNode = (): void => {
  const name = `node-v24.99.0-linux-${process.arch}`;
  const folder = machine.at('/srv/node');
  mkdirSync(`${folder}/${name}/bin`, { recursive: true });
  symlinkSync('/usr/bin/node', `${folder}/${name}/bin/node`);
};

/** Runs the block, and again when the publisher has something else. */
const expectPublished = async (commands: string): Promise<void> => {
  await machine.succeed(
    'cd /srv/node; name=$(echo node-v*); tar -czf $name.tar.gz $name; sha256sum *.tar.gz >SHASUMS256.txt',
  );
  await follow(commands);
  expect(readlinkSync(machine.at('/usr/local/bin/node'))).toBe('/usr/bin/node');
  await machine.succeed('echo something else >"$(echo /srv/node/*.tar.gz)"');
  expect((await machine.follow(commands)).code).not.toBe(0);
};

const redisUrl = (password: string): string => `redis://bot-directory:${encodeURIComponent(password)}@127.0.0.1:6379`;

/** Starts another, empty Redis. */
const startRedis = (port: number): Promise<string> =>
  machine.succeed(`mkdir /srv/redis-${port}
    systemd-run --quiet redis-server --port ${port} --dir /srv/redis-${port}
    until [ "$(redis-cli -p ${port} ping)" = PONG ]; do sleep 0.1; done`);

/** Whether deliveries of a copy are paused, and whether it signs as the original did. */
const delivering = async (port: number): Promise<Record<string, string>> => {
  const has = async (key: string): Promise<[string, string]> => [
    key,
    (await machine.succeed(`redis-cli -p ${port} exists 'bots:{directory}:${key}'`)).trim(),
  ];
  return Object.fromEntries([await has('paused'), await has('signing-key')]);
};

/** A renamed category leaves all sixteen in the setting. */
const expectRenamed = (): void => {
  const settings = readFileSync(machine.at('/etc/bot-directory/environment'), 'utf8');
  const names = /^BOT_CATEGORIES=(.*)$/m.exec(settings)?.[1]?.split(',');
  expect(names).toHaveLength(16);
  expect(names).toContain('Growth=Marketing');
};

/** Starts an authority of certificates, which certbot asks in place of its own. */
const startAuthority = async (): Promise<void> => {
  const { cert, key } = await testCertificate();
  machine.write('/srv/pebble/cert.pem', cert);
  machine.write('/srv/pebble/key.pem', key);
  const pebble = {
    listenAddress: '127.0.0.1:14000',
    managementListenAddress: '127.0.0.1:15000',
    certificate: '/srv/pebble/cert.pem',
    privateKey: '/srv/pebble/key.pem',
    httpPort: 80,
    tlsPort: 443,
  };
  machine.write('/srv/pebble/config.json', JSON.stringify({ pebble }));
  machine.write('/etc/letsencrypt/cli.ini', 'server = https://127.0.0.1:14000/dir\nno-verify-ssl = true\n');
  await machine.succeed(`echo 127.0.0.1 directory.example.com >>/etc/hosts
    systemd-run --quiet --setenv=PEBBLE_VA_NOSLEEP=1 pebble -config /srv/pebble/config.json
    until curl -fsSk https://127.0.0.1:14000/dir >/dev/null 2>&1; do sleep 0.1; done`);
};

/** Checks that the operator's backup and the timer's are there, and nobody else's. */
const expectBackup = (): void => {
  const folder = machine.at('/var/backups/bot-directory');
  expect(readdirSync(folder)).toHaveLength(2);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
};

const expectMonitored = async (): Promise<void> => {
  await machine.succeed('systemctl is-active prometheus prometheus-alertmanager');
  const rules = 'curl -fsS http://127.0.0.1:9090/api/v1/rules';
  await until('Prometheus has the alerts', async () =>
    (await machine.follow(rules)).output.includes('BotDirectoryDown'),
  );
};

/** The world reaches the proxy, and nothing else. */
const expectFirewall = async (): Promise<void> => {
  expect((await ask(`https://${machine.v4}/api/bots`)).status).toBe(200);
  const others = await machine.succeed("ss -Hlnt | awk '{ print $4 }'");
  expect(others).toMatch(/\*:9090/);
  const connects = ['--max-time', '1', '-sS', `http://${machine.v4}:9090/`];
  expect(() => execFileSync('curl', connects, { stdio: 'ignore' })).toThrow();
};

const processes = ['bot-directory-worker', 'bot-directory-web@3001', 'bot-directory-web@3002'];
const release = (): string => readlinkSync(machine.at('/opt/bot-directory'));
let releases: string[] = [];

const steps: readonly Step[] = [
  {
    words: 'node packages/server/dist/main.js',
    run: async (commands) => {
      machine.write('/srv/service', `cd ${root}\n${commands}`);
      await machine.succeed('systemd-run --quiet --unit=first bash --norc /srv/service');
      url = 'http://localhost:3000';
    },
  },
  {
    words: 'http://localhost:3000/readyz',
    after: async () => {
      await machine.succeed('systemctl stop first; redis-cli flushall');
      url = '';
    },
  },
  { words: 'SHASUMS256.txt', before: publishNode, run: expectPublished },
  { words: 'version=', before: () => publish(machine), run: define },
  { words: 'npm run pack:server', run: (commands) => follow(`${commands}unpack /srv/from-a-clone`, root) },
  { words: 'environment web-3001', after: () => configure(machine, { TEMPLATE_ORIGIN: 'http://127.0.0.1:4000' }) },
  {
    words: 'systemctl enable --now bot-directory-worker',
    after: async () => {
      units = [...units, ...processes];
      url = 'http://127.0.0.1:3001';
      await restartAll();
      await submitAll();
    },
  },
  { words: 'layout: systemd', run: define },
  { words: 'export REDIS_ADMIN_URL=', run: define },
  {
    words: 'apt-get install haproxy',
    after: () => {
      units = [...units, 'haproxy'];
      url = 'https://127.0.0.1';
    },
  },
  {
    words: 'apt-get install nginx',
    before: () => machine.succeed('systemctl stop haproxy'),
    after: async () => {
      units = [...units.filter((name) => name !== 'haproxy'), 'nginx'];
      await restartAll();
      await machine.succeed('systemctl stop nginx');
      units = [...units.filter((name) => name !== 'nginx'), 'haproxy'];
    },
  },
  {
    words: 'apt-get install certbot',
    before: startAuthority,
    after: async () => {
      expect(await machine.succeed('openssl x509 -noout -issuer </etc/ssl/private/bot-directory.pem')).toMatch(
        /Pebble/,
      );
      await machine.succeed('certbot renew --force-renewal --no-random-sleep-on-renew');
    },
  },
  { words: 'amtool check-config', after: expectMonitored },
  { words: 'promtool check rules', run: (commands) => follow(commands, '/opt/bot-directory') },
  { words: 'ufw allow ssh', after: expectFirewall },
  {
    words: "acl setuser bot-directory on '>change",
    after: () => configure(machine, { REDIS_URL: redisUrl('change this password') }),
  },
  {
    words: "acl setuser bot-directory '>a-new",
    after: () => configure(machine, { REDIS_URL: redisUrl('a-new-password') }),
  },
  {
    words: "acl setuser bot-directory '<change",
    after: async () => {
      const withdrawn = await machine.follow(`redis-cli -u '${redisUrl('change this password')}' ping`);
      expect(withdrawn.output).toContain('WRONGPASS');
    },
  },
  { words: 'replace() {', run: define },
  {
    words: 'replace "$release"',
    before: () => (releases = [release()]),
    after: () => expect(releases).not.toContain(release()),
  },
  {
    words: 'replace "$previous"',
    after: () => expect(releases).toContain(release()),
  },
  {
    words: 'xargs --no-run-if-empty rm -r',
    before: () => machine.succeed('mkdir /opt/bot-directory-20010101T000000'),
    after: () =>
      expect(readdirSync(machine.at('/opt')).filter((name) => /-\d+T/.test(name))).toEqual([basename(release())]),
  },
  { words: 'systemctl start bot-directory-backup', after: expectBackup },
  { words: 'echo "BOT_CATEGORIES=', after: expectRenamed },
  {
    words: 'bot-directory-admin import "$backup"',
    before: () => startRedis(6380),
    after: async () => expect(await delivering(6380)).toEqual({ paused: '0', 'signing-key': '1' }),
  },
  {
    words: 'bot-directory-admin import "$(ls',
    before: () => startRedis(6381),
    after: async () => expect(await delivering(6381)).toEqual({ paused: '1', 'signing-key': '0' }),
  },
  { words: 'cp -rT saved', before: () => machine.succeed('cp -a /var/lib/redis saved') },
];

/** Blocks that are for other layouts, and the build, which came before the tests. */
const isElsewhere = ({ note }: Block): boolean =>
  /^(not-run: (a build|a container engine|a cluster)|layout: (clone|compose|kubernetes)$)/.test(note);

/** The first block is a summary for those who have a command line, so it comes once there is one. */
const [summary, ...others] = blocks.filter((one) => !isElsewhere(one));
const start = 1 + others.findIndex(({ note }) => note === 'layout: systemd');
const inOrder = [...others.slice(0, start), summary, ...others.slice(start)];

const options = {
  timeout: 300_000,
  ...needsMachine('haproxy', 'nginx', 'promtool', 'amtool', 'certbot', 'pebble', 'ufw'),
};

describe('the manual', options, () => {
  beforeAll(async () => {
    machine = await startMachine({ umask: '077' });
    machine.write('/srv/provider.js', provider);
    await machine.succeed('systemd-run --quiet node /srv/provider.js');
    // What must be set comes first.
    await startDebiansRedis(machine);
  });
  afterAll(() => machine.stop());

  it('has a block for each step', () => {
    for (const { words } of steps)
      expect([words, inOrder.filter((one) => `${one?.note}\n${one?.commands}`.includes(words)).length]).toEqual([
        words,
        1,
      ]);
  });

  for (const one of inOrder) {
    if (one === undefined) continue;
    const { line, note, commands } = one;
    const step = steps.find(({ words }) => `${note}\n${commands}`.includes(words));
    it(`line ${line}: ${commands.split('\n')[0] ?? ''}`, async () => {
      await step?.before?.();
      await (step?.run ?? follow)(commands);
      await step?.after?.();
      await restartAll();
    });
  }

  it('ends with a directory that serves the world', async () => {
    const world = [`https://${machine.v4}`, `https://[${machine.v6}]`] as const;
    for (const address of world) expect(await namesAt(address)).toEqual(['Honest Work']);
    for (const spam of ['cheap-pills', 'free-money-now'])
      expect((await ask(`${world[0]}/api/bots/${spam}`)).status).toBe(410);
  });
});
