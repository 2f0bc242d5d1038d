import { parseNetwork } from '../domain/ip-address.ts';
import { createGuardedLookup, createIsOnline, createResolve, ForbiddenAddress, type Resolve } from './resolve.ts';
import { startNames, type Known } from '@bot-directory/testing/name-server';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { describe, expect, it } from 'vitest';

describe('the resolver', () => {
  const zone: Record<string, Known | ((family: 4 | 6) => Known)> = {
    'both.example.com': ['8.8.8.8', '2606:4700::1'],
    'four.example.com': ['8.8.4.4'],
    'half.example.com': (family) => (family === 4 ? ['8.8.4.4'] : 'SERVFAIL'),
    'silent.example.com': (family) => (family === 4 ? ['8.8.4.4'] : 'silence'),
  };
  useStarted(() =>
    startNames((name, family) => {
      const known = zone[name] ?? 'NXDOMAIN';
      return typeof known === 'function' ? known(family) : known;
    }),
  );

  it('gives the addresses of both families, IPv4 first', async () => {
    const resolve = createResolve();
    expect(await resolve('both.example.com')).toEqual(['8.8.8.8', '2606:4700::1']);
    expect(await resolve('four.example.com')).toEqual(['8.8.4.4']);
  });

  it('gives the addresses of the hosts file, whatever the name servers say', async () => {
    expect(await createResolve()('localhost')).toContain('127.0.0.1');
  });

  it('finds the current name servers when those it knew no longer respond', async () => {
    const gone = await startNames(() => 'silence');
    const resolve = createResolve();
    await gone.stop();
    await expect(resolve('four.example.com')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const isFound = () =>
      resolve('four.example.com').then(
        () => true,
        () => false,
      );
    await until('it is found', isFound);
  });

  it('rejects a name that does not exist', async () => {
    await expect(createResolve()('none.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it.each(['half', 'silent'])('rejects a name of which only one family is answered: %s', async (name) => {
    await expect(createResolve()(`${name}.example.com`)).rejects.toMatchObject({
      code: expect.stringMatching(/^E(SERVFAIL|TIMEOUT)$/) as string,
    });
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
