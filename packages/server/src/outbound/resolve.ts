/**
 * The addresses of a name: of the hosts file if it is there, as everywhere on the machine, else of the system's name
 * servers. They are queried directly; `dns.lookup` runs on four threads, so one slow name would delay all.
 */
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** All addresses of a name, IPv4 first. Rejects with an error that has a DNS `code` if there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const timeoutMs = 2_000;

/** How often it looks for other name servers while those it knows do not answer. */
const renewMs = 1_000;

/** Where names come from, for tests. */
export type ResolveOptions = {
  /** @default the system's name servers */
  readonly servers?: () => readonly string[];
  /** @default the system's hosts file */
  readonly hosts?: string;
};

/**
 * A resolver knows the name servers of the moment it was made, so a new one is made when they do not answer.
 */
export const createResolve = ({ servers, hosts }: ResolveOptions = {}): Resolve => {
  const make = () => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
    if (servers !== undefined) resolver.setServers(servers());
    return { resolver, madeAtMs: performance.now() };
  };
  let { resolver, madeAtMs } = make();
  const renew = (): void => {
    if (performance.now() - madeAtMs > renewMs) ({ resolver, madeAtMs } = make());
  };
  const addressesInFile = hostsFile(hosts);
  return async (hostname) => {
    const known = await addressesInFile(hostname);
    if (known !== undefined) return known;
    try {
      return await addressesBy(resolver, hostname);
    } catch (error) {
      if (isSilence(error)) renew();
      throw error;
    }
  };
};

const addressesBy = async (resolver: Resolver, hostname: string): Promise<readonly string[]> => {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  // With a response for one family only, a forbidden address of the other family could hide behind a failing server.
  for (const answer of [v4, v6]) if (answer.status === 'rejected' && !isEmpty(answer.reason)) throw answer.reason;
  const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
  return addresses;
};

/** Whether a look-up failed in a way that says nothing about the name: no response, or none of a server that knows. */
export const isSilence = (error: unknown): boolean =>
  ['ETIMEOUT', 'ECONNREFUSED', 'ESERVFAIL', 'EREFUSED'].includes(codeOf(error));

/** Whether a server said that the name has no address. */
export const isEmpty = (error: unknown): boolean => ['ENODATA', 'ENOTFOUND'].includes(codeOf(error));

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

const systemFile = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
/** How long it is taken to be unchanged. */
const validForMs = 1_000;

/**
 * Looks names up in the hosts file, such as those of Docker's `extra_hosts`, which are on this machine alone. Without a
 * file, or if it cannot be read, no name is in it.
 */
const hostsFile = (path = systemFile): ((hostname: string) => Promise<readonly string[] | undefined>) => {
  let readAtMs = -Infinity;
  let names: Promise<ReadonlyMap<string, readonly string[]>> = Promise.resolve(new Map());
  return async (hostname) => {
    if (performance.now() - readAtMs >= validForMs) {
      readAtMs = performance.now();
      names = readFile(path, 'utf8').then(parseHosts, () => new Map());
    }
    return (await names).get(hostname.toLowerCase());
  };
};

/** The addresses of each name, IPv4 first. */
const parseHosts = (text: string): ReadonlyMap<string, readonly string[]> => {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase().replace(/\.$/, '');
      names.set(
        name,
        [...(names.get(name) ?? []), address].sort((a, b) => isIP(a) - isIP(b)),
      );
    }
  }
  return names;
};
