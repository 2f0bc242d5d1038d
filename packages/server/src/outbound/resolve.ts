/**
 * The addresses of a name: those in the hosts file, as everywhere on the machine, or else those of the system's name
 * servers. They are queried directly; `dns.lookup` runs on four threads, so one slow name would delay all. The lookup
 * before every connection to a webhook also refuses a host if any of its addresses may not be connected to.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { codeOf } from '../base/failure.ts';
import { sharedByKey } from '../base/limiter.ts';
import { isInNetworks, isPermitted, type Network } from '../domain/ip-address.ts';
import { isSpecialUse } from '../domain/webhook-url.ts';
import { hostsFile, systemHosts } from './hosts-file.ts';

/** All addresses of a name, IPv4 first. Rejects with an error that has a DNS `code` if there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const timeoutMs = 2_000;

/** How often to reload the name servers during an outage of the known ones. */
const renewMs = 1_000;

/** How long a name may take in all, however many name servers are silent in turn. */
const deadlineMs = 5_000;

/**
 * Makes a `Resolve`. A resolver keeps the name servers of when it was made; a new one is made when they are silent. A
 * name is looked up once at a time: callers that come meanwhile share the result.
 */
export const createResolve = (): Resolve => {
  const make = () => ({ resolver: new Resolver({ timeout: timeoutMs, tries: 1 }), madeAtMs: performance.now() });
  let { resolver, madeAtMs } = make();
  const addressesInFile = hostsFile(systemHosts);
  return oneAtATime(async (hostname) => {
    const known = await addressesInFile(hostname);
    if (known !== undefined) return known;
    try {
      return await addressesBy(resolver, hostname);
    } catch (error) {
      if (isSilence(error) && performance.now() - madeAtMs > renewMs) ({ resolver, madeAtMs } = make());
      throw error;
    }
  });
};

/** Looks each name up once at a time, within the deadline. After one that took longer, the next call asks again. */
const oneAtATime = (resolve: Resolve): Resolve => {
  const inTime: Resolve = (hostname) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new LookupTimeout(hostname)), deadlineMs);
    });
    return Promise.race([resolve(hostname), late]).finally(() => clearTimeout(timer));
  };
  const share = sharedByKey<readonly string[]>();
  return (hostname) => share(hostname, () => inTime(hostname));
};

/** A lookup that took too long, with the code that Node's own have. */
class LookupTimeout extends Error {
  override readonly name = 'LookupTimeout';
  readonly code = 'ETIMEOUT';
  constructor(hostname: string) {
    super(`${hostname} was not resolved within ${deadlineMs} ms`);
  }
}

/**
 * Makes a `Resolve` for names that the operator chose, such as the provider's. One that the name servers do not know
 * may be complete only with a search domain of this machine, as short names in Kubernetes are: the system resolves it.
 */
export const createOperatorResolve = (resolve: Resolve): Resolve =>
  oneAtATime((hostname) =>
    resolve(hostname).catch(async (error: unknown) => {
      if (!isEmpty(error)) throw error;
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    }),
  );

const addressesBy = async (resolver: Resolver, hostname: string): Promise<readonly string[]> => {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  // With a response for one family only, a forbidden address of the other family could hide behind a failing server.
  for (const answer of [v4, v6]) if (answer.status === 'rejected' && !isEmpty(answer.reason)) throw answer.reason;
  const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
  return addresses;
};

/** Whether a lookup failed in a way that says nothing about the name: no response, or none from one that knows. */
const isSilence = (error: unknown): boolean =>
  ['ETIMEOUT', 'ECONNREFUSED', 'ESERVFAIL', 'EREFUSED'].includes(codeOf(error));

/** Whether a server said that the name has no address. */
const isEmpty = (error: unknown): boolean => ['ENODATA', 'ENOTFOUND'].includes(codeOf(error));

/** The addresses of a host, which may be an address itself. Rejects with ForbiddenAddress or NameUnresolved. */
export type GuardedLookup = (host: string) => Promise<readonly string[]>;

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

/** Makes a `GuardedLookup`. `isOnline` is called for failures that may be ours. */
export const createGuardedLookup = (
  resolve: Resolve,
  allowed: readonly Network[],
  isOnline: IsOnline,
): GuardedLookup => {
  let lastSuccessMs = -Infinity;
  const addressesOf = async (name: string): Promise<readonly string[]> => {
    const askedMs = performance.now();
    try {
      const addresses = await resolve(name);
      lastSuccessMs = performance.now();
      return addresses;
    } catch (cause) {
      const mayBeOurs = isSilence(cause) && lastSuccessMs < askedMs;
      throw new NameUnresolved(mayBeOurs && !(await isOnline()), { cause });
    }
  };
  return async (host) => {
    const name = host.replace(/\.?$/, '');
    const addresses = isIP(host) === 0 ? await addressesOf(name) : [host];
    if (addresses.length === 0) throw new NameUnresolved(false);
    // A name that is not of the public internet may only resolve to networks that the operator allows.
    const mayCall = isIP(host) === 0 && isSpecialUse(name) ? isInNetworks : isPermitted;
    if (!addresses.every((address) => mayCall(address, allowed))) throw new ForbiddenAddress();
    return addresses;
  };
};

/** Whether our resolver, and the network to it, respond now. If they do, whatever they say, the fault is not ours. */
export type IsOnline = () => Promise<boolean>;

/** The first of the root name servers: it has existed as long as DNS. */
const controlName = 'a.root-servers.net';
/** How long one result is shared. */
const onlineForMs = 5_000;

/** Makes a control lookup, of a name that always exists. Callers within five seconds share its result. */
export const createIsOnline = (resolve: Resolve): IsOnline => {
  let askedMs = -Infinity;
  let response = Promise.resolve(true);
  return () => {
    if (performance.now() - askedMs >= onlineForMs) {
      askedMs = performance.now();
      response = resolve(controlName).then(() => true, isEmpty);
    }
    return response;
  };
};
