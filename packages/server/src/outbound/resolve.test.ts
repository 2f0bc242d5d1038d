import { parseNetwork } from '../domain/ip-address.ts';
import { createGuardedLookup, createIsOnline, createResolve, ForbiddenAddress, type Resolve } from './resolve.ts';
import { until } from '@bot-directory/testing/until';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('the resolver', () => {
  const noError = 0;
  const serverFailure = 2;
  const noSuchName = 3;
  /** By name and record type: 1 is A, 28 is AAAA. `undefined`: no answer at all. */
  const zone: Record<string, Partial<Record<1 | 28, { code: number; data?: number[] } | undefined>>> = {
    'both.example.com': {
      1: { code: noError, data: [8, 8, 8, 8] },
      28: { code: noError, data: [0x26, 0x06, 0x47, 0, ...Array<number>(11).fill(0), 1] },
    },
    'four.example.com': { 1: { code: noError, data: [8, 8, 4, 4] }, 28: { code: noError } },
    'half.example.com': { 1: { code: noError, data: [8, 8, 4, 4] }, 28: { code: serverFailure } },
    'silent.example.com': { 1: { code: noError, data: [8, 8, 4, 4] }, 28: undefined },
    'none.example.com': { 1: { code: noSuchName }, 28: { code: noSuchName } },
  };
  const server = createSocket('udp4');
  let resolve: Resolve;

  beforeAll(async () => {
    server.on('message', (query, { port, address }) => {
      const reply = answer(query);
      if (reply !== undefined) server.send(reply, port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    resolve = createResolve({ servers: () => [`127.0.0.1:${server.address().port}`] });
  });
  afterAll(() => server.close());

  /** RFC 1035, 4.1: the question comes back, then a record whose name points to it. */
  const answer = (query: Buffer): Buffer | undefined => {
    const labels: string[] = [];
    let end = 12;
    for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
      labels.push(query.toString('latin1', end + 1, end + 1 + length));
      end += 1 + length;
    }
    const type = query.readUInt16BE(end + 1);
    const reply = type === 1 || type === 28 ? zone[labels.join('.')]?.[type] : undefined;
    if (reply === undefined) return undefined;
    const { code, data = [] } = reply;
    const head = Buffer.from([
      ...query.subarray(0, 2),
      0x81,
      0x80 | code,
      0,
      1,
      0,
      data.length === 0 ? 0 : 1,
      0,
      0,
      0,
      0,
    ]);
    const record = data.length === 0 ? [] : [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data];
    return Buffer.concat([head, query.subarray(12, end + 5), Buffer.from(record)]);
  };

  it('gives the addresses of both families, IPv4 first', async () => {
    expect(await resolve('both.example.com')).toEqual(['8.8.8.8', '2606:4700::1']);
    expect(await resolve('four.example.com')).toEqual(['8.8.4.4']);
  });

  it('finds the current name servers when those it knew no longer respond', async () => {
    const gone = createSocket('udp4').bind(0, '127.0.0.1');
    await once(gone, 'listening');
    let { port } = gone.address();
    gone.close();
    const found = createResolve({ servers: () => [`127.0.0.1:${port}`] });
    await expect(found('four.example.com')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    ({ port } = server.address());
    const isFound = () =>
      found('four.example.com').then(
        () => true,
        () => false,
      );
    await until('it is found', isFound);
  });

  it('rejects a name that does not exist', async () => {
    await expect(resolve('none.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it.each(['half', 'silent'])('rejects a name of which only one family is answered: %s', async (name) => {
    await expect(resolve(`${name}.example.com`)).rejects.toMatchObject({
      code: expect.stringMatching(/^E(SERVFAIL|TIMEOUT)$/) as string,
    });
  });
});

describe('the hosts file', () => {
  it('maps its names to its addresses, whatever the name servers say, and is read again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
    const hosts = join(folder, 'hosts');
    const text = '# names of this machine\n::1 Receiver two.lan # both\n127.0.0.1\treceiver\nnonsense here\n';
    await writeFile(hosts, text);
    const nobody = createResolve({ servers: () => ['127.0.0.1:1'], hosts });
    expect(await nobody('receiver')).toEqual(['127.0.0.1', '::1']);
    expect(await nobody('TWO.lan')).toEqual(['::1']);
    await expect(nobody('here')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await writeFile(hosts, '10.0.0.1 receiver');
    await until('it is read again', async () => (await nobody('receiver')).includes('10.0.0.1'));
    await rm(folder, { recursive: true });
    await expect(createResolve({ servers: () => ['127.0.0.1:1'], hosts })('receiver')).rejects.toThrow('ECONNREFUSED');
  });
});

const loopback = parseNetwork('127.0.0.0/8');
const allowed = loopback.ok ? [loopback.value] : [];

const lookup = (
  resolve: Resolve,
  { host = 'hooks.example.com', networks = [] as typeof allowed, isOnline = true } = {},
): Promise<readonly string[]> => createGuardedLookup(resolve, networks, () => Promise.resolve(isOnline))(host);
const finding =
  (...addresses: string[]): Resolve =>
  () =>
    Promise.resolve(addresses);
const failing =
  (code: string): Resolve =>
  () =>
    Promise.reject(Object.assign(new Error(code), { code }));

describe('the guarded lookup', () => {
  it('gives every public address of a name', async () => {
    const addresses = ['8.8.8.8', '2606:4700::1111'];
    expect(await lookup(finding(...addresses))).toEqual(addresses);
  });

  it('gives a public address itself, without a query', async () => {
    const never = () => Promise.reject(new Error('asked'));
    expect(await lookup(never, { host: '8.8.8.8' })).toEqual(['8.8.8.8']);
    await expect(lookup(never, { host: '127.0.0.1' })).rejects.toBeInstanceOf(ForbiddenAddress);
    expect(await lookup(never, { host: '127.0.0.1', networks: allowed })).toEqual(['127.0.0.1']);
  });

  it('resolves a name that ends in a dot without the dot', async () => {
    const asked: string[] = [];
    const resolve: Resolve = (name) => {
      asked.push(name);
      return Promise.resolve(['8.8.8.8']);
    };
    await lookup(resolve, { host: 'hooks.example.com.' });
    expect(asked).toEqual(['hooks.example.com']);
  });

  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001::1',
    '2001:db8::1',
    'fc00::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'nonsense',
  ])('refuses a name for %s, alone or among good ones', async (address) => {
    await expect(lookup(finding(address))).rejects.toBeInstanceOf(ForbiddenAddress);
    await expect(lookup(finding('8.8.8.8', address, '2606:4700::1111'))).rejects.toBeInstanceOf(ForbiddenAddress);
  });

  it('takes addresses of the allowed networks, and no others', async () => {
    expect(await lookup(finding('127.0.0.1'), { networks: allowed })).toEqual(['127.0.0.1']);
    await expect(lookup(finding('127.0.0.1', '10.0.0.1'), { networks: allowed })).rejects.toBeInstanceOf(
      ForbiddenAddress,
    );
  });

  it.each(['api.lan', 'api.corp', 'api.internal', 'api.svc.cluster.local', 'api.home.arpa', 'api', 'localhost'])(
    'lets %s resolve only to the allowed networks, even if another address is public',
    async (host) => {
      expect(await lookup(finding('127.0.0.1', '127.0.0.2'), { host, networks: allowed })).toHaveLength(2);
      for (const addresses of [['8.8.8.8'], ['127.0.0.1', '8.8.8.8'], ['10.0.0.1']])
        await expect(lookup(finding(...addresses), { host, networks: allowed })).rejects.toThrow(ForbiddenAddress);
      await expect(lookup(finding('8.8.8.8'), { host })).rejects.toThrow(ForbiddenAddress);
    },
  );

  it('has no address for a name without any', async () => {
    await expect(lookup(finding())).rejects.toMatchObject({ name: 'NameUnresolved', isOurs: false });
  });

  it.each([
    ['ENOTFOUND', false],
    ['ENODATA', false],
    ['EBADNAME', false],
    ['ESERVFAIL', true],
    ['EREFUSED', true],
    ['ECONNREFUSED', true],
    ['ETIMEOUT', true],
  ])('takes %s for our fault when nothing else resolves: %s; never while something does', async (code, isOurs) => {
    const error = (isOnline: boolean) => lookup(failing(code), { isOnline }).catch((reason: unknown) => reason);
    expect(await error(false)).toMatchObject({ name: 'NameUnresolved', isOurs });
    expect(await error(true)).toMatchObject({ name: 'NameUnresolved', isOurs: false });
  });

  it('blames the name for a time-out when another resolved meanwhile', async () => {
    let fail: (error: Error) => void = () => undefined;
    const guarded = createGuardedLookup(
      (name) =>
        name === 'slow.example.com' ? new Promise((_, reject) => (fail = reject)) : Promise.resolve(['8.8.8.8']),
      [],
      () => Promise.resolve(false),
    );
    const ask = (name: string) => guarded(name).catch((error: unknown) => error);
    const slow = ask('slow.example.com');
    await ask('hooks.example.com');
    fail(Object.assign(new Error('ETIMEOUT'), { code: 'ETIMEOUT' }));
    expect(await slow).toMatchObject({ isOurs: false });
  });
});

describe('the control lookup', () => {
  it.each([
    ['ENOTFOUND', true],
    ['ENODATA', true],
    ['ESERVFAIL', false],
    ['EREFUSED', false],
    ['ETIMEOUT', false],
    ['ECONNREFUSED', false],
  ])('that ends in %s says that we are online: %s', async (code, isOnline) => {
    expect(await createIsOnline(failing(code))()).toBe(isOnline);
  });

  it('sends one query for all concurrent callers, for a name that always exists', async () => {
    const asked: string[] = [];
    const isOnline = createIsOnline((name) => {
      asked.push(name);
      return Promise.resolve(['198.41.0.4']);
    });
    expect(await Promise.all([isOnline(), isOnline(), isOnline()])).toEqual([true, true, true]);
    expect(asked).toEqual(['a.root-servers.net']);
  });
});
