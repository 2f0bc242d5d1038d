// Every kind of URL that must never become a webhook, each spelling once: the table of research/webhook-senders.md 4.1.
// Shared by the parser's own tests and by the tests of the running server.

/** Spellings refused for one reason. `urls` are sent as they stand. */
export type ForbiddenUrls = { readonly kind: string; readonly urls: readonly string[] };

const https = (hosts: readonly string[]): string[] => hosts.map((host) => `https://${host}/hook`);

const bracketed = (addresses: readonly string[]): string[] => https(addresses.map((address) => `[${address}]`));

export const forbiddenUrls: readonly ForbiddenUrls[] = [
  {
    kind: 'private and reserved IPv4 ranges, first and last address',
    urls: https([
      '0.0.0.0', '0.255.255.255', '10.0.0.0', '10.0.0.1', '10.255.255.255', '100.64.0.0', '100.127.255.255',
      '127.0.0.0', '127.0.0.1', '127.255.255.255', '169.254.0.0', '169.254.169.254', '169.254.255.255',
      '172.16.0.0', '172.16.0.1', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255',
      '192.31.196.0', '192.31.196.255', '192.52.193.0', '192.52.193.255', '192.88.99.0', '192.88.99.255',
      '192.168.0.0', '192.168.0.1', '192.168.255.255', '192.175.48.0', '192.175.48.255',
      '198.18.0.0', '198.19.255.255', '198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255',
      '224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.254', '255.255.255.255',
    ]),
  },
  {
    kind: 'other spellings of an IPv4 address',
    urls: https([
      '2130706433', '0x7f000001', '0x7F.1', '0x7f.0x0.0x0.0x1', '017700000001', '0177.0.0.1', '0177.1', '127.1',
      '127.0.1',
      '0', '0x', '0x0', '00', '169.16689662', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '0300.0250.0.1',
      '012.1.2.3',
      '01200034567', '１２７.0.0.1', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '①②⑦.⓪.⓪.①', '⑯⑨。②⑤④。⑯⑨｡②⑤④',
      '%31%32%37.0.0.1', '127%2e0%2e0%2e1', '127%E3%80%820%E3%80%820%E3%80%821',
      '127.0.0.1.', '127.0.0.1..', '2130706433.', '0x7f.1.', '127.0.0.1:8443', '127.0.0.1:00443', '127.0.0.1:',
      '12\u00AD7.0.0.1', '127\u200B.0.0.1', '127.0\u2060.0.1',
    ]),
  },
  {
    kind: 'numbers that are no address',
    urls: https([
      '256.256.256.256', '1.2.3.4.5', '127.0.0.08', '127.0.0.256', '4294967296', '1e2', 'acme.com.42',
      '8.8.8.8%25',
    ]),
  },
  {
    kind: 'IPv4 inside IPv6',
    urls: bracketed([
      '::127.0.0.1', '::7f00:1', '::8.8.8.8', '::ffff:127.0.0.1', '::fFFf:127.0.0.1', '::ffff:7f00:1',
      '0:0:0:0:0:ffff:7f00:1',
      '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8',
      '64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::169.254.169.254', '64:ff9b::192.168.0.1',
      '0064:ff9b:0:0:0:0:a9fe:a9fe', '64:ff9b::0.0.0.0', '64:ff9b:1::8.8.8.8', '64:ff9b:1:ffff::1',
      '64:ff9b:0:0:0:1:808:808',
      '2002:7f00:1::1', '2002:a00:1::', '2002:808:808::1', '2001:0:7f00:1::', '2001:0:4136:e378:8000:63bf:3fff:fdd2',
      'fe80::5efe:10.0.0.1', '2606:4700::5efe:127.0.0.1', '2606:4700::200:5efe:8.8.8.8',
    ]),
  },
  {
    kind: 'private and reserved IPv6 ranges',
    urls: bracketed([
      '::', '::1', '000:0:0000::01', '0:0:0:0:0:0:0:1', '::2', '1::', '100::', '100::ffff:ffff:ffff:ffff',
      '100:0:0:1::1', '1fff:ffff::1',
      '2001::', '2001:1::1', '2001:1ff:ffff::1', '2001:2::1', '2001:2:0:ffff::1', '2001:3::1', '2001:4:112::1',
      '2001:10::1',
      '2001:1f:ffff::1', '2001:20::1', '2001:2f:ffff::1', '2001:30::1', '2001:db8::', '2001:DB8::1',
      '2001:db8:ffff:ffff::1',
      '2002::', '2620:4f:8000::1', '3fff::', '3fff:fff:ffff::1', '4000::', '4000::1', '5f00::1', '5f00:ffff::1',
      'e000::1',
      'fc00::', 'fc00::1', 'fd00:ec2::254', 'fdff:ffff::1', 'fe80::', 'fe80::1', 'febf:ffff::1', 'fec0::', 'fec0::1',
      'feff:ffff::1',
      'ff00::', 'ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    ]),
  },
  {
    kind: 'malformed IPv6',
    urls: bracketed([
      'fe80::1%eth0', 'fe80::1%25eth0', '2606:4700::1%25eth0', '127.0.0.1', '8.8.8.8', 'hooks.acme.com', '2606:4700',
      '1::2::3', '',
    ]),
  },
  {
    kind: 'names for private or special use',
    urls: https([
      'localhost', 'localhost.', 'localhost..', 'LOCALHOST', 'ｌocalhost', 'loc\u00ADalhost', 'loc\u200Balhost',
      '%6cocalhost', 'localhost:8443',
      'api.localhost', 'api.localhost.', 'printer.local', 'printer.local.', 'metadata.google.internal',
      'metadata.google.internal.',
      'db.internal', 'host.localdomain', 'localhost.localdomain', 'nas.home.arpa', 'nas.home.arpa.',
      '1.0.0.127.in-addr.arpa', 'router.lan',
      'intra.corp', 'pc.home', 'wiki.intranet', 'git.private', 'app.test', 'app.TEST', 'a.example', 'a.example.',
      'a.invalid', 'abcdef.onion', 'a.alt',
    ]),
  },
  {
    kind: 'names with one label, or malformed',
    urls: https([
      'intranet', 'com', 'com.', 'a', '.', '..', '.acme.com', 'acme..com', 'hooks.acme.com..', '-a.acme.com',
      'a-.acme.com', 'a_b.acme.com', 'a*b.acme.com',
      `${'a'.repeat(64)}.acme.com`, `${'a.'.repeat(130)}acme.com`, `${'abcdefghi.'.repeat(26)}acme.com`,
      'acme%00.com', 'acme%2f.com', 'acme%23.com', 'acme%20.com', 'acme%40.com', 'a<b.acme.com', 'a|b.acme.com',
      'xn--a.acme.com',
    ]),
  },
  {
    kind: 'credentials',
    urls: https([
      'user:pass@hooks.acme.com', 'user@hooks.acme.com', ':pass@hooks.acme.com', '@hooks.acme.com', ':@hooks.acme.com',
      'hooks.acme.com@127.0.0.1', 'a@b@hooks.acme.com',
    ]),
  },
  {
    kind: 'ports',
    urls: https([
      '0', '1', '22', '25', '80', '444', '1023', '65536', '99999', '-1', 'a', '8443a', '８443x',
    ].map((port) => `hooks.acme.com:${port}`)),
  },
  {
    kind: 'schemes',
    urls: [
      'http://hooks.acme.com/hook', 'HTTP://hooks.acme.com/hook', 'ftp://hooks.acme.com/', 'file:///etc/passwd',
      'javascript:alert(1)', 'data:,x', 'wss://hooks.acme.com/', 'httpsx://hooks.acme.com/', '//hooks.acme.com/hook',
      'hooks.acme.com/hook',
    ],
  },
  {
    kind: 'slashes, backslashes and nothing at all',
    urls: [
      'https:127.0.0.1', 'https:hooks.acme.com', 'https:/hooks.acme.com', 'https:///hooks.acme.com',
      'https:////hooks.acme.com', 'https:\\\\hooks.acme.com\\hook', 'https://hooks.acme.com\\hook',
      'https://hooks.acme.com\\@127.0.0.1/', 'https://hooks.acme.com/a\\b', 'https://', 'https:///', 'https://?',
      'https://#', 'https://:443/', 'https', '',
    ],
  },
  {
    kind: 'white space and control characters',
    urls: [
      ' https://hooks.acme.com/hook', 'https://hooks.acme.com/hook ', '\thttps://hooks.acme.com/',
      '\nhttps://hooks.acme.com/', 'https://hooks.acme.com/\n', 'ht\ntps://hooks.acme.com/',
      'https://hooks.\tacme.com/', 'https://hooks.acme.com/a\rb', 'https://hooks.acme.com/a b',
      'https://hooks.acme.com/?a b', 'https://hooks.acme.com/#a b',
      'https://hooks.acme.com/\u0000', '\u0000https://hooks.acme.com/', 'https://hooks.acme.com/\u001f',
      'https://hooks.acme.com/\u007f', 'https://hooks.acme.com/\u0085',
      'https://hooks.acme.com/\u00a0', 'https://hooks.acme.com/\u2028', 'https://hooks.acme.com/\u3000',
      '\ufeffhttps://hooks.acme.com/',
    ],
  },
  {
    kind: 'length',
    urls: [
      `https://hooks.acme.com/${'a'.repeat(2_048)}`, `https://hooks.acme.com/${'a'.repeat(2_026)}`,
      `https://hooks.acme.com/${'é'.repeat(1_000)}`, `https://hooks.acme.com/${'a'.repeat(20_000)}`,
    ],
  },
];
