/**
 * The look-up before every connection to a webhook: all addresses of a host, or a refusal if any of them may not be
 * connected to.
 */
import { isInNetworks, isPermitted, type Network } from '../domain/ip-address.ts';
import { isSpecialUse } from '../domain/webhook-url.ts';
import { isSilence, type Resolve, isEmpty } from './resolve.ts';
import { isIP } from 'node:net';

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

/** Makes it. `isOnline` is called for failures that may be ours. */
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
    // A name that is not of the public internet may lead to where the operator allows, and nowhere else.
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
const validForMs = 5_000;

/** A control lookup, of a name that always exists, that is shared by all callers within five seconds. */
export const createIsOnline = (resolve: Resolve): IsOnline => {
  let askedMs = -Infinity;
  let response = Promise.resolve(true);
  return () => {
    if (performance.now() - askedMs >= validForMs) {
      askedMs = performance.now();
      response = resolve(controlName).then(() => true, isEmpty);
    }
    return response;
  };
};
