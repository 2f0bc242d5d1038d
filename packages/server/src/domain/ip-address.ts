/**
 * Which addresses the service may connect to at a stranger's request. Addresses are judged as bytes: every classifier
 * that worked on text could be fooled by some spelling. The guarded lookup resolves names, and asks here.
 */
import { accepted, type Parsed, refused } from '../base/parsed.ts';

/** 4 or 16 bytes, in network order. */
export type IpBytes = Uint8Array;

/** An address block: the first `prefix` bits of `bytes`. */
export type Network = { readonly bytes: IpBytes; readonly prefix: number };

/** The bytes of an address, or `undefined`. IPv4 is four plain decimal octets; brackets and zones are not accepted. */
export const parseIp = (text: string): IpBytes | undefined => (text.includes(':') ? parseIpv6(text) : parseIpv4(text));

/** Parses a CIDR block such as `10.0.0.0/8` or `fd00::/8`. A bare address is a block of one; host bits are ignored. */
export function parseNetwork(cidr: string): Parsed<Network> {
  const [, address = '', length] = /^([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/.exec(cidr) ?? [];
  const bytes = parseIp(address);
  if (bytes === undefined) return refused('must be a network such as 10.0.0.0/8 or fd00::/8');
  const bits = bytes.length * 8;
  const prefix = length === undefined ? bits : Number(length);
  return prefix <= bits
    ? accepted({ bytes, prefix })
    : refused(`must be a network whose prefix has at most ${bits} bits`);
}

/**
 * Whether the bytes are a unicast address of the public internet. For IPv6 this is an allow list (2000::/3 without its
 * reserved blocks), so that unknown blocks are refused. NAT64 addresses are judged by the IPv4 address they carry,
 * because on a DNS64 network every IPv4 host has one. All other carriers of IPv4 (mapped, compatible, SIIT, 6to4,
 * Teredo, ISATAP) are refused, whatever they carry.
 */
export function isGlobalUnicast(bytes: IpBytes): boolean {
  if (bytes.length === 4) return !reservedIpv4.some((network) => contains(network, bytes));
  if (contains(nat64, bytes)) return isGlobalUnicast(bytes.subarray(12));
  return contains(globalIpv6, bytes) && !isIsatap(bytes) && !reservedIpv6.some((network) => contains(network, bytes));
}

/**
 * Whether the address, as text, is global unicast, or is in an allowed network, itself or as the IPv4 address it
 * carries.
 */
export function isPermitted(address: string, allowed: readonly Network[]): boolean {
  const bytes = parseIp(address);
  return bytes !== undefined && (isGlobalUnicast(bytes) || isInNetworks(address, allowed));
}

/** Whether the address, as text, is in one of the networks, itself or as the IPv4 address it carries. */
export function isInNetworks(address: string, networks: readonly Network[]): boolean {
  const bytes = parseIp(address);
  if (bytes === undefined) return false;
  const carried = contains(mapped, bytes) || contains(nat64, bytes) ? bytes.subarray(12) : bytes;
  return networks.some((network) => contains(network, bytes) || contains(network, carried));
}

/** The block that one client has to itself: an IPv4 address, or an IPv6 /64. Other text is returned unchanged. */
export function networkOf(address: string): string {
  const bytes = parseIp(address);
  if (bytes?.length !== 16) return address;
  return contains(mapped, bytes) ? bytes.subarray(12).join('.') : `${bytes.subarray(0, 8).join('.')}/64`;
}

const network = (cidr: string): Network => {
  const parsed = parseNetwork(cidr);
  if (!parsed.ok) throw new TypeError(`${cidr} is not a network`);
  return parsed.value;
};

/**
 * https://www.iana.org/assignments/iana-ipv4-special-registry (entries marked * are globally reachable relays and
 * anycast services, which never host a webhook), and multicast.
 */
const reservedIpv4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private use
  '100.64.0.0/10', // shared address space (carrier-grade NAT)
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link local, cloud metadata
  '172.16.0.0/12', // private use
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112 *
  '192.52.193.0/24', // AMT *
  '192.88.99.0/24', // 6to4 relay anycast, deprecated
  '192.168.0.0/16', // private use
  '192.175.48.0/24', // AS112 *
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, limited broadcast
].map(network);

/** https://www.iana.org/assignments/iana-ipv6-special-registry, as far as it is within 2000::/3. */
const reservedIpv6 = [
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, ORCHID, AMT *, AS112 *
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112 *
  '3fff::/20', // documentation
].map(network);

/**
 * https://www.iana.org/assignments/ipv6-address-space: the only block from which global unicast addresses are
 * allocated.
 */
const globalIpv6 = network('2000::/3');
/** RFC 6052. The local-use 64:ff9b:1::/48 is not part of it. */
const nat64 = network('64:ff9b::/96');
/** RFC 4291, 2.5.5.2. */
const mapped = network('::ffff:0:0/96');

/** RFC 5214: an interface id of 0000:5efe or 0200:5efe and an IPv4 address to tunnel to, under any prefix. */
const isIsatap = (bytes: IpBytes): boolean =>
  (bytes[8] === 0x00 || bytes[8] === 0x02) && bytes[9] === 0x00 && bytes[10] === 0x5e && bytes[11] === 0xfe;

function contains({ bytes, prefix }: Network, address: IpBytes): boolean {
  if (address.length !== bytes.length) return false;
  return bytes.every((byte, index) => {
    const bits = Math.min(Math.max(prefix - index * 8, 0), 8);
    return (byte ^ (address[index] ?? 0)) >> (8 - bits) === 0;
  });
}

function parseIpv4(text: string): IpBytes | undefined {
  const octets = text.split('.');
  const strict = octets.every((octet) => /^(?:0|[1-9]\d{0,2})$/.test(octet) && Number(octet) < 256);
  return strict && octets.length === 4 ? Uint8Array.from(octets, Number) : undefined;
}

function parseIpv6(text: string): IpBytes | undefined {
  const [head, tail, more] = withoutDottedTail(text)
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':')));
  if (head === undefined || more !== undefined) return undefined;
  const gap = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? gap !== 0 : gap < 1) return undefined;
  const groups = [...head, ...Array<string>(gap).fill('0'), ...(tail ?? [])];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return Uint8Array.from(groups.map((group) => Number.parseInt(group, 16)).flatMap((word) => [word >> 8, word & 0xff]));
}

/** `::ffff:127.0.0.1` → `::ffff:7f00:1`; text that does not end in an IPv4 address is unchanged. */
function withoutDottedTail(text: string): string {
  const start = text.lastIndexOf(':') + 1;
  const [a, b, c, d] = parseIpv4(text.slice(start)) ?? [];
  if (a === undefined || b === undefined || c === undefined || d === undefined) return text;
  return `${text.slice(0, start)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
