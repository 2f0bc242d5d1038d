/**
 * Where webhooks are sent: origins, their domains, and the addresses they connect to, with how many deliveries each has
 * in flight and waiting. An origin is remembered between its deliveries: whether its last response was quick, and its
 * last address. Bounded: the oldest are forgotten, unless they were used since. It decides nothing.
 */
import { BoundedCache } from '../base/bounded-cache.ts';
import { networkOf } from '../domain/ip-address.ts';
import { domainOf, originOf } from '../domain/webhook-url.ts';
import type { Lease } from '../store/webhooks/deliveries.ts';

/** Deliveries that share a limit: how many are in flight, how many of them to slow origins, and how many wait. */
export type Load = { inFlight: number; slowInFlight: number; queued: number };
/** Origins that share a limit, and how many of them are remembered. */
type Group = Load & { readonly name: string; origins: number };
/** All origins of a registrable domain. */
export type Domain = Group;
/** All origins that connect to an address. */
export type Address = Group;

/** A scheme, a host and a port. */
export type Origin = {
  readonly name: string;
  readonly domain: Domain;
  /** The address of the last connection, if there was one. */
  address: Address | undefined;
  /** Whether its last response was quick; false without a response. */
  isQuick: boolean;
  inFlight: number;
  waiting: Waiting | undefined;
};

/** An origin's leases that wait: those of webhooks that are missing only new events, and those with a backlog. */
export type Waiting = { readonly new: Lease[]; readonly backlog: Lease[] };

/** How many leases of an origin wait. */
export const queuedOf = ({ waiting }: Origin): number =>
  waiting === undefined ? 0 : waiting.new.length + waiting.backlog.length;

/** How many are remembered, apart from those with deliveries in flight or waiting. */
const remembered = 50_000;

export class Origins {
  readonly #origins: BoundedCache<Origin>;
  readonly #domains = new Map<string, Domain>();
  readonly #addresses = new Map<string, Address>();

  constructor() {
    this.#origins = new BoundedCache({
      max: remembered,
      isInUse: ({ inFlight, waiting }) => inFlight > 0 || waiting !== undefined,
      onDrop: (origin) => this.#forget(origin),
    });
  }

  /** How many origins, domains and addresses are held. */
  get sizes(): readonly [origins: number, domains: number, addresses: number] {
    return [this.#origins.count, this.#domains.size, this.#addresses.size];
  }

  values(): Iterable<Origin> {
    return this.#origins.values();
  }

  of(url: string): Origin {
    const name = originOf(url);
    return this.#origins.get(name) ?? this.#remember(name);
  }

  /** Records the address of a connection to an origin: the part of it that belongs to a single owner. */
  connected(name: string, address: string): void {
    const origin = this.#origins.get(name) ?? this.#remember(name);
    const network = networkOf(address);
    if (origin.address?.name === network) return;
    this.#leave(origin);
    let group = this.#addresses.get(network);
    if (group === undefined) this.#addresses.set(network, (group = newGroup(network)));
    group.origins += 1;
    group.queued += queuedOf(origin);
    origin.address = group;
  }

  /** Drops an address that has neither origins nor deliveries in flight. */
  release(address: Address): void {
    if (address.origins === 0 && address.inFlight === 0) this.#addresses.delete(address.name);
  }

  #remember(slice: string): Origin {
    // A slice would keep its whole URL in memory.
    const name = Buffer.from(slice).toString();
    const domain = this.#domainNamed(domainOf(name));
    domain.origins += 1;
    const origin: Origin = { name, domain, address: undefined, isQuick: false, inFlight: 0, waiting: undefined };
    this.#origins.set(name, origin);
    return origin;
  }

  #forget(origin: Origin): void {
    const { domain } = origin;
    domain.origins -= 1;
    if (domain.origins === 0) this.#domains.delete(domain.name);
    this.#leave(origin);
  }

  #leave(origin: Origin): void {
    const { address } = origin;
    if (address === undefined) return;
    address.origins -= 1;
    address.queued -= queuedOf(origin);
    this.release(address);
  }

  #domainNamed(name: string): Domain {
    let domain = this.#domains.get(name);
    if (domain === undefined) this.#domains.set(name, (domain = newGroup(name)));
    return domain;
  }
}

// Written out: an object made by spreading may get a hidden class of its own in V8, and each access to one of a
// thousand classes takes a slow path.
const newGroup = (name: string): Group => ({ name, origins: 0, inFlight: 0, slowInFlight: 0, queued: 0 });
