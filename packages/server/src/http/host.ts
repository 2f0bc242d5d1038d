/** The header that says which server is meant. */
import type { IncomingMessage } from 'node:http';
import { parseIp } from '../domain/ip-address.ts';

/**
 * RFC 9112 §3.2: without a Host, except in HTTP/1.0, with several or with an invalid one, a proxy before us may have
 * meant another server. The Host may be empty.
 */
export const hasOneHost = ({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean => {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue;
    count += 1;
    if (!isHost(rawHeaders[i + 1] ?? '')) return false;
  }
  return count === 1 || (count === 0 && httpVersionMinor === 0);
};

/** A name of RFC 3986 §3.2.2 or an IPv6 literal, and a port. */
const hostAndPort = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::(\d*))?$/i;

const isIpv6 = (text: string): boolean => text.includes(':') && parseIp(text) !== undefined;

const isHost = (value: string): boolean => {
  const [whole, six, port = ''] = hostAndPort.exec(value) ?? [];
  return whole !== undefined && (six === undefined || isIpv6(six)) && Number(port) <= 65_535;
};
