/** A name server on loopback, which knows the names that a test says. */
import { createSocket } from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';

/** What it says about a name: its addresses, or a code; `silence`: nothing at all. */
export type Known = readonly string[] | keyof typeof codes | 'silence';

/** What it says about each name. It is asked once for each family of addresses. */
export type Zone = (name: string, family: 4 | 6) => Known;

const codes = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
const families: Readonly<Record<number, 4 | 6>> = { 1: 4, 28: 6 };

/** Starts one. `address`: where it listens; by default on a free port. */
export const startNameServer = async (zone: Zone, { host = '127.0.0.1', port = 0 } = {}) => {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const reply = replyTo(query, zone);
    if (reply !== undefined) socket.send(reply, from.port, from.address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  return {
    server: `${host}:${socket.address().port}`,
    stop: async (): Promise<void> => {
      socket.close();
      await once(socket, 'close');
    },
  };
};

/**
 * Starts one for this process: until it stops, new resolvers ask it in place of the system's name servers. Names in the
 * machine's hosts file keep their addresses.
 */
export const startNames = async (zone: Zone) => {
  const { server, stop } = await startNameServer(zone);
  const { Resolver } = dns;
  use(
    class extends Resolver {
      constructor(...options: ConstructorParameters<typeof Resolver>) {
        super(...options);
        this.setServers([server]);
      }
    },
  );
  return {
    stop: (): Promise<void> => {
      use(Resolver);
      return stop();
    },
  };
};

/** Has every module of this process make resolvers of this class from now on. */
const use = (Resolver: typeof dns.Resolver): void => {
  Object.assign(dns, { Resolver });
  syncBuiltinESMExports();
};

/** RFC 1035, 4.1: the question comes back, then the records, whose names point to it. */
const replyTo = (query: Buffer, zone: Zone): Buffer | undefined => {
  const labels: string[] = [];
  let end = 12;
  for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
    labels.push(query.toString('latin1', end + 1, end + 1 + length));
    end += 1 + length;
  }
  const type = query.readUInt16BE(end + 1);
  const family = families[type] ?? 4;
  const known = zone(labels.join('.'), family);
  if (known === 'silence') return undefined;
  const code = typeof known === 'string' ? codes[known] : 0;
  const data = typeof known === 'string' ? [] : known.filter((address) => isIP(address) === family).map(bytesOf);
  const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80 | code, 0, 1, 0, data.length, 0, 0, 0, 0]);
  const records = data.map((bytes) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]));
  return Buffer.concat([head, query.subarray(12, end + 5), ...records]);
};

const bytesOf = (address: string): number[] => {
  if (isIP(address) === 4) return address.split('.').map(Number);
  // As eight groups of hexadecimal digits, of which `::` stands for those that are missing.
  const [before = [], after = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].flatMap((group) => {
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 255];
  });
};
