/**
 * Both proxies with the shipped files, as their packages of Debian start them: only ports and folders differ. Without
 * root, they cannot become another user.
 */
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCertificate } from '@bot-directory/testing/certificate';
import { startChild, stopChild } from '../../../scripts/child.mjs';
import { freePort } from '../../../scripts/port.mjs';
import { program } from '../../../scripts/programs.mjs';
import { read } from './files.ts';

/** `edges`: the networks of a CDN. `edit`: changes its configuration further. */
type Options = { readonly edges?: readonly string[]; readonly edit?: (configuration: string) => string };

export type Proxy = {
  /** Its own port without TLS, those of the two web processes, and that of its metrics, if it has some. */
  readonly front: number;
  readonly ports: readonly [number, number];
  readonly metrics: number;
  /** Its ports for the world, with TLS and without, and that of certbot. */
  readonly world: { readonly tls: number; readonly plain: number; readonly certbot: number };
  /** The certificate and key that it reads, and who signed the first. */
  readonly certificate: { readonly file: string; readonly ca: string };
  /** Its first process, which is root's. */
  readonly pid: number;
  /** What it logged of requests. */
  readonly log: () => string;
  readonly reload: () => void;
  /** Its processes that serve. */
  readonly workers: () => number[];
  readonly stop: () => Promise<void>;
};

const isRoot = process.getuid?.() === 0;

const start = async (
  name: 'haproxy' | 'nginx',
  prepare: (folder: string, inHere: (text: string) => string) => string[],
  reload: NodeJS.Signals,
): Promise<Proxy> => {
  const front = await freePort();
  const metrics = await freePort();
  const ports = [await freePort(), await freePort()] as const;
  const world = { tls: await freePort(), plain: await freePort(), certbot: await freePort() };
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  chmodSync(folder, 0o755);
  const here: Record<string, number> = {
    3000: front,
    3001: ports[0],
    3002: ports[1],
    8405: metrics,
    443: world.tls,
    80: world.plain,
    8888: world.certbot,
  };
  const file = join(folder, 'bot-directory.pem');
  const { cert, key, ca } = await testCertificate();
  writeFileSync(file, `${cert}\n${key}`);
  // All at once: a free port may be another that is still to be replaced.
  const inHere = (text: string): string =>
    text
      .replaceAll(/(?<=[:\s\]])(3000|3001|3002|8405|443|80|8888)(?=[;\s])/g, (port) => String(here[port]))
      .replaceAll('/etc/ssl/private/bot-directory.pem', file)
      .replaceAll('/var/log/nginx/bot-directory.log', join(folder, 'access.log'));
  const child = startChild(program(name), prepare(folder, inHere), { stdio: 'pipe' });
  const logFile = join(folder, 'access.log');
  writeFileSync(logFile, '');
  child.stdout?.on('data', (chunk: Buffer) => appendFileSync(logFile, chunk));
  child.stderr?.resume();
  const pid = child.pid ?? 0;
  return {
    front,
    ports,
    metrics,
    world,
    certificate: { file, ca },
    pid,
    log: () => readFileSync(logFile, 'utf8'),
    reload: () => process.kill(pid, reload),
    workers: () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number),
    stop: async () => {
      await stopChild(child);
      rmSync(folder, { recursive: true });
    },
  };
};

export const startHaproxy = ({ edges = [], edit = (text) => text }: Options = {}): Promise<Proxy> =>
  start(
    'haproxy',
    (folder, inHere) => {
      const file = join(folder, 'haproxy.cfg');
      const shipped = inHere(read('deploy/haproxy/machine.cfg'));
      writeFileSync(file, edit(isRoot ? shipped : shipped.replaceAll(/^ +(chroot|user|group) .*\n/gm, '')));
      writeFileSync(join(folder, 'trusted-edges'), edges.map((edge) => `${edge}\n`).join(''));
      return ['-W', '-db', '-f', file];
    },
    'SIGUSR2',
  );

export const startNginx = ({ edges = [], edit = (text) => text }: Options = {}): Promise<Proxy> =>
  start(
    'nginx',
    (folder, inHere) => {
      const shipped = inHere(read('deploy/nginx/bot-directory.conf'));
      writeFileSync(
        join(folder, 'bot-directory.conf'),
        edit(shipped).replace('/etc/nginx/trusted-edges', join(folder, 'trusted-edges')),
      );
      writeFileSync(join(folder, 'main.conf'), edit(read('deploy/nginx/main.conf')));
      writeFileSync(join(folder, 'trusted-edges.conf'), edges.map((edge) => `set_real_ip_from ${edge};\n`).join(''));
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      const file = join(folder, 'nginx.conf');
      writeFileSync(
        file,
        `daemon off; pid ${folder}/pid; worker_processes 1; include ${folder}/main.conf;
         events { worker_connections 2048; }
         http { access_log off; ${paths.join(' ')} include ${folder}/bot-directory.conf; }`,
      );
      return ['-e', join(folder, 'error.log'), '-c', file];
    },
    'SIGHUP',
  );
