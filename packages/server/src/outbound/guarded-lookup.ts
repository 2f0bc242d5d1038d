/**
 * The DNS lookup inside every connection to a webhook: all addresses of a name, or a refusal if any of them is not
 * public. Literal addresses never reach a lookup, so `send-webhook.ts` checks those itself.
 */
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPermitted, type Network } from '../domain/ip-address.ts';
import type { IsOnline } from './online.ts';

/** All addresses of a name, IPv4 first. Rejects with an error that has a DNS `code` if there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** An address that no delivery may go to. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  constructor() {
    super('not a public address');
  }
}

/** A name that has no address now. `isOurs`: there is evidence that our resolver is at fault, not the name. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';
  constructor(
    readonly isOurs: boolean,
    options?: ErrorOptions,
  ) {
    super('the name has no address', options);
  }
}

const timeoutMs = 2_000;

/** How often it looks for other name servers while those it knows do not answer. */
const renewMs = 1_000;

/**
 * Queries the system's name servers directly; `dns.lookup` runs on four threads, so one slow name would delay all. Such
 * a resolver knows the servers of the moment it was made, so a new one is made when they do not answer. `servers`: for
 * tests.
 */
export const createResolve = (servers?: () => readonly string[]): Resolve => {
  const make = () => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
    if (servers !== undefined) resolver.setServers(servers());
    return { resolver, madeAtMs: performance.now() };
  };
  let { resolver, madeAtMs } = make();
  const renew = (): void => {
    if (performance.now() - madeAtMs > renewMs) ({ resolver, madeAtMs } = make());
  };
  return async (hostname) => {
    try {
      return await addressesBy(resolver, hostname);
    } catch (error) {
      if (silences.includes(codeOf(error))) renew();
      throw error;
    }
  };
};

const addressesBy = async (resolver: Resolver, hostname: string): Promise<readonly string[]> => {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  // With a response for one family only, a forbidden address of the other family could hide behind a failing server.
  for (const answer of [v4, v6]) if (answer.status === 'rejected' && !isEmptyAnswer(answer.reason)) throw answer.reason;
  const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
  return addresses;
};

/**
 * A `lookup` for sockets. Fails with ForbiddenAddress or NameUnresolved. `isOnline` is called for failures that may be
 * ours.
 */
export const createGuardedLookup = (
  resolve: Resolve,
  allowed: readonly Network[],
  isOnline: IsOnline,
): LookupFunction => {
  let lastSuccessMs = -Infinity;
  const addressesOf = async (hostname: string): Promise<readonly string[]> => {
    const askedMs = performance.now();
    try {
      const addresses = await resolve(hostname.replace(/\.?$/, ''));
      lastSuccessMs = performance.now();
      return addresses;
    } catch (cause) {
      const mayBeOurs = silences.includes(codeOf(cause)) && lastSuccessMs < askedMs;
      throw new NameUnresolved(mayBeOurs && !(await isOnline()), { cause });
    }
  };
  return (hostname, options, callback) => {
    addressesOf(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) return callback(new NameUnresolved(false), '');
        if (!addresses.every((address) => isPermitted(address, allowed))) return callback(new ForbiddenAddress(), '');
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        return options.all === true ? callback(null, found) : callback(null, first, isIP(first));
      },
      (error: unknown) => callback(error instanceof Error ? error : new NameUnresolved(true), ''),
    );
  };
};

/** Failures that say nothing about the name: no response, or none from a server that knows. */
const silences: readonly string[] = ['ETIMEOUT', 'ECONNREFUSED', 'ESERVFAIL', 'EREFUSED'];
const isEmptyAnswer = (error: unknown): boolean => ['ENODATA', 'ENOTFOUND'].includes(codeOf(error));
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
