import { limits } from '@bot-directory/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forbiddenUrls } from '@bot-directory/testing/forbidden-urls';
import { type Network, parseNetwork } from './ip-address.ts';
import { parseWebhookUrl, registrableDomain } from './webhook-url.ts';

const networks = (...cidrs: string[]): Network[] =>
  cidrs.map((cidr) => parseNetwork(cidr)).flatMap((parsed) => (parsed.ok ? [parsed.value] : []));

describe.each(forbiddenUrls)('$kind', ({ urls }) => {
  it.each(urls.map((url) => [url.slice(0, 80), url]))('%j is refused', (_, url) =>
    expect(parseWebhookUrl(url, [])).toMatchObject({ ok: false }),
  );
});

describe('a refusal names the rule, and nothing of the URL', () => {
  it.each([
    ['https://10.0.0.1/', 'The address is private, local or reserved.'],
    ['https://2130706433/', 'The address is private, local or reserved.'],
    ['https://[::ffff:8.8.8.8]/', 'The address is private, local or reserved.'],
    ['https://intranet/', 'The host name needs a domain, such as hooks.acme.com.'],
    ['https://a_b.acme.com/', 'The host name is malformed.'],
    ['https://metadata.google.internal/', 'The host name is for private or special use.'],
    ['https://nas.home.arpa./', 'The host name is for private or special use.'],
    ['https://hooks.acme.com:22/', 'The port must be 443, or 1024 or above.'],
    ['https://user@hooks.acme.com/', 'The URL must not hold a user name or password.'],
    ['http://hooks.acme.com/', 'The URL must begin with https:// and a host.'],
    ['https://256.256.256.256/', 'The URL is malformed.'],
    [`https://hooks.acme.com/${'é'.repeat(1_000)}`, 'The URL in canonical form is over 2048 characters long.'],
  ])('%s', (url, why) => expect(parseWebhookUrl(url, [])).toEqual({ ok: false, why }));
});

describe('canonical form', () => {
  it('is the same however often a URL was read before', () => {
    for (let i = 0; i < 20_000; i += 1) {
      const read = parseWebhookUrl('https://bücher.example.com/ä', []);
      if (!read.ok) throw new Error(`${read.why} (after ${i} times)`);
    }
  });

  it.each([
    ['https://hooks.acme.com', 'https://hooks.acme.com/', 'hooks.acme.com'],
    ['HTTPS://Hooks.ACME.com/A', 'https://hooks.acme.com/A', 'hooks.acme.com'],
    ['https://hooks.acme.com:443/a', 'https://hooks.acme.com/a', 'hooks.acme.com'],
    ['https://hooks.acme.com:00443/a', 'https://hooks.acme.com/a', 'hooks.acme.com'],
    ['https://hooks.acme.com:/a', 'https://hooks.acme.com/a', 'hooks.acme.com'],
    ['https://hooks.acme.com:8443/a', 'https://hooks.acme.com:8443/a', 'hooks.acme.com'],
    ['https://hooks.acme.com:1024/', 'https://hooks.acme.com:1024/', 'hooks.acme.com'],
    ['https://hooks.acme.com:65535/', 'https://hooks.acme.com:65535/', 'hooks.acme.com'],
    ['https://hooks.acme.com/a#b', 'https://hooks.acme.com/a', 'hooks.acme.com'],
    ['https://hooks.acme.com/a?b=c#', 'https://hooks.acme.com/a?b=c', 'hooks.acme.com'],
    ['https://hooks.acme.com./a', 'https://hooks.acme.com/a', 'hooks.acme.com'],
    ['https://hooks.acme.com.:8443/a', 'https://hooks.acme.com:8443/a', 'hooks.acme.com'],
    ['https://hooks.acme.com/a/../b/./c', 'https://hooks.acme.com/b/c', 'hooks.acme.com'],
    ['https://hooks.acme.com/a//b', 'https://hooks.acme.com/a//b', 'hooks.acme.com'],
    ['https://hooks.acme.com/é?ü', 'https://hooks.acme.com/%C3%A9?%C3%BC', 'hooks.acme.com'],
    ['https://bücher.de/', 'https://xn--bcher-kva.de/', 'xn--bcher-kva.de'],
    ['https://ｈooks。acme。com/', 'https://hooks.acme.com/', 'hooks.acme.com'],
    ['https://hooks.%61cme.com/', 'https://hooks.acme.com/', 'hooks.acme.com'],
    ['https://example.com/hook', 'https://example.com/hook', 'example.com'],
    ['https://localhost.acme.com/', 'https://localhost.acme.com/', 'localhost.acme.com'],
    ['https://127.0.0.1.nip.io/', 'https://127.0.0.1.nip.io/', '127.0.0.1.nip.io'],
    ['https://a-b.acme.com/', 'https://a-b.acme.com/', 'a-b.acme.com'],
    [`https://${'a'.repeat(63)}.acme.com/`, `https://${'a'.repeat(63)}.acme.com/`, `${'a'.repeat(63)}.acme.com`],
    ['https://8.8.8.8/', 'https://8.8.8.8/', '8.8.8.8'],
    ['https://134744072/', 'https://8.8.8.8/', '8.8.8.8'],
    ['https://0x8.010.2056/', 'https://8.8.8.8/', '8.8.8.8'],
    ['https://8.8.8.8../', 'https://8.8.8.8/', '8.8.8.8'],
    ['https://[2606:4700:0:0::1111]:8443/', 'https://[2606:4700::1111]:8443/', '[2606:4700::1111]'],
    ['https://[64:ff9b::8.8.8.8]/', 'https://[64:ff9b::808:808]/', '[64:ff9b::808:808]'],
  ])('%s → %s', (raw, url, host) => expect(parseWebhookUrl(raw, [])).toEqual({ ok: true, value: { url, host } }));

  it('may be as long as the limit', () => {
    const url = 'https://hooks.acme.com/'.padEnd(limits.urlLength, 'a');
    expect(parseWebhookUrl(url, [])).toMatchObject({ ok: true, value: { url } });
  });
});

describe('allowed networks', () => {
  const allowed = networks('127.0.0.0/8', '::1/128');

  it.each([
    'https://127.0.0.1:8443/',
    'https://2130706433:8443/',
    'https://[::1]:8443/',
    'https://[::ffff:127.0.0.1]:8443/',
    // What they resolve to is checked at the connection.
    'https://localhost:8443/',
    'https://receiver/',
    'https://hooks.corp/',
    'https://hooks.lan./',
    'https://hooks.default.svc.cluster.local/',
    'https://nas.home.arpa/',
    'https://api.internal/',
  ])('exempt %s', (url) => expect(parseWebhookUrl(url, allowed).ok).toBe(true));

  it.each([
    'https://10.0.0.1/',
    'https://[::2]/',
    'https://local_host/',
    'https://localhost../',
    'https://127.0.0.1:80/',
    'http://127.0.0.1:8443/',
  ])('do not exempt %s', (url) => expect(parseWebhookUrl(url, allowed).ok).toBe(false));
});

describe('properties', () => {
  const octets = fc.uint8Array({ minLength: 4, maxLength: 4 });
  /** The ways a URL parser reads the same four octets. */
  const spellings = ([a = 0, b = 0, c = 0, d = 0]: Iterable<number>): string[] => {
    const number = ((a * 256 + b) * 256 + c) * 256 + d;
    const octal = (octet: number) => `0${octet.toString(8)}`;
    const hex = (octet: number) => `0X${octet.toString(16)}`;
    const dotted = `${a}.${b}.${c}.${d}`;
    return [
      dotted,
      `${dotted}.`,
      `${number}`,
      hex(number),
      octal(number),
      `${a}.${b}.${c * 256 + d}`,
      `${a}.${number % 2 ** 24}`,
      [a, b, c, d].map(octal).join('.'),
      [a, b, c, d].map(hex).join('.'),
      `${a}。${b}．${c}｡${d}`,
      dotted.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
      dotted.replace(/\d/g, '%3$&'),
    ];
  };
  const carriers = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', 'fe80::5efe:', '2606:4700::200:5efe:'];

  it('refuse an address of a private range in every spelling and every carrier', () => {
    const ranges = [
      [0],
      [10],
      [127],
      [224],
      [239],
      [240],
      [255],
      [100, 64],
      [169, 254],
      [172, 16],
      [172, 31],
      [192, 168],
      [198, 18],
      [192, 0, 0],
      [192, 0, 2],
      [198, 51, 100],
      [203, 0, 113],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...ranges), octets, (range, random) => {
        const address = [...range, ...random].slice(0, 4);
        const hosts = [...spellings(address), ...carriers.map((carrier) => `[${carrier}${address.join('.')}]`)];
        expect(hosts.filter((host) => parseWebhookUrl(`https://${host}/hook`, []).ok)).toEqual([]);
      }),
    );
  });

  it('fold every spelling of an address to one URL', () => {
    fc.assert(
      fc.property(octets, (address) => {
        const parsed = spellings(address).map((host) => parseWebhookUrl(`https://${host}/hook`, networks('0.0.0.0/0')));
        expect(new Set(parsed.map((result) => JSON.stringify(result))).size).toBe(1);
        expect(parsed[0]?.ok).toBe(true);
      }),
    );
  });

  it('give a URL that parses to itself, without fragment or credentials', () => {
    const domain = fc.oneof(
      fc.domain(),
      fc.domain().map((text) => `${text}.`),
      fc.string({ unit: 'binary' }),
    );
    const host = fc.oneof(
      domain,
      fc.ipV4Extended(),
      fc.ipV6().map((text) => `[${text}]`),
    );
    const port = fc.constantFrom('', ':443', ':8443', ':22');
    const tail = fc.tuple(fc.webPath(), fc.webQueryParameters(), fc.webFragments());
    const raw = fc
      .tuple(host, port, tail)
      .map(([name, digits, [path, query, hash]]) => `https://${name}${digits}${path}?${query}#${hash}`);
    fc.assert(
      fc.property(fc.oneof(raw, fc.webUrl(), fc.string({ unit: 'binary' })), (text) => {
        const parsed = parseWebhookUrl(text, []);
        if (!parsed.ok) return;
        const { href, protocol, username, password, hash, hostname } = new URL(parsed.value.url);
        expect([href, protocol, username + password + hash]).toEqual([parsed.value.url, 'https:', '']);
        expect(hostname).toBe(parsed.value.host);
        expect(parseWebhookUrl(parsed.value.url, [])).toEqual(parsed);
      }),
      { numRuns: 2_000 },
    );
  });
});

it.each([
  ['hooks.example.com', 'example.com'],
  ['a.b.c.example.co.uk', 'example.co.uk'],
  ['example.com', 'example.com'],
  ['customer.github.io', 'customer.github.io'],
  ['deep.customer.github.io', 'customer.github.io'],
  ['github.io', 'github.io'],
  ['xn--bcher-kva.example.org', 'example.org'],
  ['203.0.113.7', '203.0.113.7'],
  ['[2606:4700::1]', '[2606:4700::1]'],
])('%s belongs to %s', (host, domain) => {
  expect(registrableDomain(host)).toBe(domain);
});
