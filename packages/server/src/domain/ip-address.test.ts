import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isGlobalUnicast, isPermitted, type Network, networkOf, parseIp, parseNetwork } from './ip-address.ts';

const networks = (...cidrs: string[]): Network[] =>
  cidrs.map((cidr) => parseNetwork(cidr)).flatMap((parsed) => (parsed.ok ? [parsed.value] : []));

const dotted = (bytes: Iterable<number>): string => [...bytes].join('.');
const ipv4 = fc.uint8Array({ minLength: 4, maxLength: 4 }).map(dotted);
const anyIpv4 = fc.oneof(ipv4, fc.constantFrom('127.0.0.1', '10.1.2.3', '169.254.169.254', '8.8.8.8', '1.1.1.1'));

describe('networkOf', () => {
  it('is one for all addresses of an IPv6 network, and for both spellings of IPv4', () => {
    expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:DB8:1:2:ffff::9'));
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
    expect(networkOf('::ffff:203.0.113.7')).toBe(networkOf('203.0.113.7'));
    expect(networkOf('203.0.113.7')).not.toBe(networkOf('203.0.113.8'));
    expect(networkOf('')).toBe('');
  });
});

describe('parseIp', () => {
  it.each([
    ['1.2.3.4', [1, 2, 3, 4]],
    ['0.0.0.0', [0, 0, 0, 0]],
    ['255.255.255.255', [255, 255, 255, 255]],
    ['::', Array<number>(16).fill(0)],
    ['::1', [...Array<number>(15).fill(0), 1]],
    ['2001:DB8::a:0b', [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0, 0x0b]],
    ['1:2:3:4:5:6:7:8', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
    ['1:2:3:4:5:6:7::', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0]],
    ['::fFFf:127.0.0.1', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1]],
    ['1:2:3:4:5:6:1.2.3.4', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 2, 3, 4]],
  ])('%s', (text, bytes) => expect([...(parseIp(text) ?? [])]).toEqual(bytes));

  it.each([
    '',
    ' ',
    '1',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.4.',
    '.1.2.3.4',
    '1..3.4',
    '256.1.1.1',
    '01.2.3.4',
    '1.2.3.04',
    '0x7f.0.0.1',
    '127.1',
    '2130706433',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '+1.2.3.4',
    '1e0.2.3.4',
    '１.2.3.4',
    '1.2.3.4:80',
    '10.0.0.1:8080',
    '1.2.3.4/8',
    '1.2.3.4%eth0',
    ':',
    ':::',
    '::1::',
    '1::2::3',
    ':1',
    '1:',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '1:2:3:4::5:6:7:8',
    '12345::',
    'g::',
    '::1 ',
    '[::1]',
    '::1]',
    'fe80::1%eth0',
    'fe80::1%25eth0',
    '::1/128',
    '::1.2.3',
    '::1.2.3.4.5',
    '::256.1.1.1',
    '::01.2.3.4',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::0x1',
    '::-1',
    'localhost',
    ':'.repeat(40),
  ])('%j is not an address', (text) => expect(parseIp(text)).toBeUndefined());

  it('accepts what the operating system accepts, except zones', () => {
    const hex = fc.stringMatching(/^[0-9a-fA-F]{0,5}$/);
    const group = fc.oneof(hex, anyIpv4, fc.constantFrom('', '0', '00', '256', '%'));
    const groups = fc.array(group, { maxLength: 10 });
    const near = fc.oneof(
      groups.map((parts) => parts.join(':')),
      groups.map((parts) => parts.join('.')),
    );
    fc.assert(
      fc.property(fc.oneof(near, fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        const family = text.includes('%') ? 0 : isIP(text);
        expect(parseIp(text)?.length).toBe(family === 0 ? undefined : family === 4 ? 4 : 16);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads the bytes that a URL parser writes', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        expect(parseIp(new URL(`https://[${text}]`).hostname.slice(1, -1))).toEqual(parseIp(text));
      }),
    );
  });
});

describe('parseNetwork', () => {
  it.each([
    '10.0.0.0/8',
    '127.0.0.1/32',
    '127.0.0.1/8',
    '127.0.0.1',
    '0.0.0.0/0',
    '::1',
    '::1/128',
    'fd00::/8',
    '::/0',
  ])('%s is one', (cidr) => expect(parseNetwork(cidr).ok).toBe(true));
  it.each([
    '',
    '/',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '10/8',
    '::1/129',
    '[::1]/128',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0 /8',
    'localhost',
    '*',
  ])('%j is none', (cidr) => expect(parseNetwork(cidr)).toMatchObject({ ok: false }));
});

describe('isGlobalUnicast', () => {
  const verdict = (text: string): boolean | undefined => {
    const bytes = parseIp(text);
    return bytes && isGlobalUnicast(bytes);
  };

  it.each([
    '1.0.0.0',
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.31.195.255',
    '192.31.197.0',
    '192.52.192.255',
    '192.52.194.0',
    '192.88.98.255',
    '192.88.100.0',
    '192.167.255.255',
    '192.169.0.0',
    '192.175.47.255',
    '192.175.49.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '198.51.101.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
    '2000::',
    '2001:200::',
    '2001:4860:4860::8888',
    '2001:db7:ffff::1',
    '2001:db9::',
    '2003::1',
    '2606:4700:4700::1111',
    '2620:4f:7fff::1',
    '2620:4f:8001::',
    '2a00:1450:4001::1',
    '3ffe:ffff::1',
    '3fff:1000::',
    '2606:4700::5efe:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b::101:101',
  ])('%s is', (text) => expect(verdict(text)).toBe(true));

  it.each([
    'fe80::1',
    '::ffff:8.8.8.8',
    '2002:808:808::1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::8.8.8.8',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2606:4700::200:5efe:8.8.8.8',
    '::8.8.8.8',
  ])('%s is not', (text) => expect(verdict(text)).toBe(false));

  it('judges a NAT64 address by the IPv4 address in it, and refuses every other carrier', () => {
    fc.assert(
      fc.property(anyIpv4, (address) => {
        expect(verdict(`64:ff9b::${address}`)).toBe(verdict(address));
        const carriers = ['::', '::ffff:', '::ffff:0:', 'fe80::5efe:', '2606:4700::5efe:', '64:ff9b:1::'];
        expect(carriers.filter((carrier) => verdict(carrier + address) !== false)).toEqual([]);
      }),
    );
  });

  it('lies within 2000::/3 and 64:ff9b::/96', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        if (isGlobalUnicast(bytes)) expect((bytes[0] ?? 0) >> 5).toBe(1);
      }),
    );
  });
});

describe('isPermitted', () => {
  it.each([
    ['8.8.8.8', [], true],
    ['127.0.0.1', [], false],
    ['127.0.0.1', ['127.0.0.0/8'], true],
    ['127.0.0.1', ['127.0.0.1'], true],
    ['127.0.0.2', ['127.0.0.1/32'], false],
    ['127.255.0.1', ['127.0.0.1/8'], true],
    ['10.0.0.1', ['127.0.0.0/8', '10.0.0.0/8'], true],
    ['172.31.255.255', ['172.16.0.0/12'], true],
    ['172.32.0.0', ['172.16.0.0/12'], true],
    ['192.168.1.127', ['192.168.1.0/25'], true],
    ['192.168.1.128', ['192.168.1.0/25'], false],
    ['::1', ['127.0.0.0/8'], false],
    ['::1', ['::1/128'], true],
    ['fd12::1', ['fd00::/8'], true],
    ['::ffff:127.0.0.1', ['127.0.0.0/8'], true],
    ['::ffff:7f00:1', ['127.0.0.0/8'], true],
    ['::ffff:8.8.8.8', ['127.0.0.0/8'], false],
    ['64:ff9b::10.0.0.1', ['10.0.0.0/8'], true],
    ['64:ff9b::10.0.0.1', ['127.0.0.0/8'], false],
    ['::127.0.0.1', ['127.0.0.0/8'], false],
    ['fe80::1%eth0', ['fe80::/10'], false],
    ['localhost', ['0.0.0.0/0', '::/0'], false],
    ['', ['0.0.0.0/0', '::/0'], false],
  ])('%s with %j allowed: %s', (address, allowed, expected) =>
    expect(isPermitted(address, networks(...allowed))).toBe(expected),
  );

  it('equals isGlobalUnicast without allowed networks', () => {
    fc.assert(
      fc.property(fc.oneof(anyIpv4, fc.ipV6(), fc.string()), (text) => {
        const bytes = parseIp(text);
        expect(isPermitted(text, [])).toBe(bytes !== undefined && isGlobalUnicast(bytes));
      }),
    );
  });
});
