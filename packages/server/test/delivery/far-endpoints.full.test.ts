/**
 * The service reaches whatever curl reaches, over a wire that loses packets, is slow, or leads nowhere for some
 * addresses: two network namespaces with a cable between them, where the machine allows that. IPv6 is not routed.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { testCertificate } from '@bot-directory/testing/certificate';
import { until } from '@bot-directory/testing/until';
import { needs, permitted } from '@bot-directory/testing/needs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../../../../scripts/programs.mjs';
import type { Order } from './wire/send.ts';

const here = `bd-here-${process.pid}`;
const there = `bd-there-${process.pid}`;
const cableHere = `bdh${process.pid}`;
const cableThere = `bdt${process.pid}`;
const receiver = '10.99.7.2';
const nobody = '10.99.7.3';
const sixth = '2001:db8::2';
/** A hardware address that no card on the cable has: what is sent to it is lost. */
const lost = '02:00:00:00:00:99';

const ip = (...args: string[]): string => execFileSync(program('ip'), args, { encoding: 'utf8', stdio: 'pipe' });
const inside = (namespace: string, ...command: string[]): string => ip('netns', 'exec', namespace, ...command);
const succeeds = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};

const lay = (): void => {
  for (const namespace of [here, there]) {
    ip('netns', 'add', namespace);
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
  }
  ip('-n', here, 'link', 'add', cableHere, 'type', 'veth', 'peer', 'name', cableThere, 'netns', there);
  ip('-n', here, 'address', 'add', '10.99.7.1/24', 'dev', cableHere);
  ip('-n', there, 'address', 'add', `${receiver}/24`, 'dev', cableThere);
  ip('-n', here, 'link', 'set', cableHere, 'up');
  ip('-n', there, 'link', 'set', cableThere, 'up');
  lead(nobody, lost);
  // `ip netns exec` shows it as /etc/hosts.
  mkdirSync(`/etc/netns/${here}`, { recursive: true });
  writeFileSync(`/etc/netns/${here}/hosts`, `${receiver} provider.example.com\n${sixth} provider.example.com\n`);
};

/** Makes packets to an address go to a hardware address. */
const lead = (address: string, hardware: string): void => {
  ip('-n', here, 'neigh', 'replace', address, 'lladdr', hardware, 'dev', cableHere, 'nud', 'permanent');
};

const remove = (): void => {
  for (const namespace of [here, there]) succeeds(() => ip('netns', 'delete', namespace));
  succeeds(() => rmSync(`/etc/netns/${here}`, { recursive: true }));
};

const canLay = succeeds(lay);
const laid = { ...permitted('network namespaces', canLay), ...needs('ip') };
const canDelay = canLay && succeeds(() => inside(there, 'tc', 'qdisc', 'add', 'dev', cableThere, 'root', 'netem'));
if (!canLay) remove();

/** Starts a process in a namespace. `line` reads the next line of its output. */
const start = (namespace: string, file: string, env: Record<string, string> = {}) => {
  const script = fileURLToPath(new URL(`./wire/${file}`, import.meta.url));
  const args = [
    'netns',
    'exec',
    namespace,
    process.execPath,
    ...(file.endsWith('.ts') ? ['--import', 'tsx'] : []),
    script,
  ];
  const child: ChildProcess = spawn(program('ip'), args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => String((await lines.next()).value);
  return { child, line };
};

describe('an endpoint', laid, () => {
  let ca = '';
  let hardware = '';
  let processes: ReturnType<typeof start>[] = [];
  let order: (order: Order) => Promise<unknown>;
  const url = 'https://far.hooks.example.com:8443/';

  beforeAll(async () => {
    const certificate = await testCertificate();
    ({ ca } = certificate);
    hardware = /link\/ether (\S+)/.exec(ip('-n', there, 'link', 'show', cableThere))?.[1] ?? '';
    const receiving = start(there, 'receive.mjs', { CERTIFICATE: JSON.stringify(certificate) });
    const sending = start(here, 'send.ts');
    processes = [receiving, sending];
    expect([await receiving.line(), await sending.line()]).toEqual(['ready', 'ready']);
    order = async (what) => {
      sending.child.stdin?.write(`${JSON.stringify(what)}\n`);
      return JSON.parse(await sending.line()) as unknown;
    };
  });
  afterAll(async () => {
    for (const { child } of processes) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
    }
    remove();
  });
  beforeEach(() => lead(receiver, hardware));

  const delivered = { kind: 'delivered', status: 204 };
  const found = { outcome: 'found', page: { name: 'Weekly' } };
  const isConnecting = (): boolean => inside(here, 'ss', '-Htn', 'state', 'syn-sent').includes(receiver);

  /** Carries out an order, and loses everything until its first packet was sent. */
  const losingTheFirst = async (what: Order): Promise<unknown> => {
    lead(receiver, lost);
    const outcome = order(what);
    await until('the first packet is sent', isConnecting);
    lead(receiver, hardware);
    return outcome;
  };

  it('is reached by a name that also has an IPv6 address, although the first packet is lost', async () => {
    expect(await losingTheFirst({ ping: url, addresses: [receiver, sixth], ca })).toEqual(delivered);
    expect(await losingTheFirst({ ping: url, addresses: [sixth, receiver], ca })).toEqual(delivered);
  });

  it.each([
    ['first', [nobody, receiver]],
    ['second', [receiver, nobody]],
    ['first, of three', [nobody, receiver, sixth]],
  ])('is reached although one of its addresses is dead: the %s', async (_which, addresses) => {
    expect(await order({ ping: url, addresses, ca })).toEqual(delivered);
    expect(await losingTheFirst({ ping: url, addresses, ca })).toEqual(delivered);
  });

  it('with templates is reached although the first packet is lost', async () => {
    expect(await losingTheFirst({ template: 'http://provider.example.com:8080' })).toMatchObject(found);
  });

  it('with nothing but IPv6 addresses is not reached, and the reason says so', async () => {
    expect(await order({ ping: url, addresses: [sixth], ca })).toMatchObject({ kind: 'failed', failure: 'connect' });
    expect(await order({ template: `http://[${sixth}]:8080` })).toMatchObject({
      outcome: 'unavailable',
      why: expect.stringContaining('ENETUNREACH') as string,
    });
  });

  describe('300 ms away', permitted('a cable with a delay', canDelay), () => {
    const delay = (ms: number): string =>
      inside(there, 'tc', 'qdisc', 'replace', 'dev', cableThere, 'root', 'netem', 'delay', `${ms}ms`);
    beforeEach(() => void delay(300));
    afterEach(() => void delay(0));

    it('is reached by a name that also has an IPv6 address', async () => {
      expect(await order({ ping: url, addresses: [receiver, sixth], ca })).toEqual(delivered);
      expect(await order({ template: 'http://provider.example.com:8080' })).toMatchObject(found);
    });
  });
});
