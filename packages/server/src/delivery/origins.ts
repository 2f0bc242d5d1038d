/**
 * Where webhooks are sent: origins, their domains, and the addresses they connect to, with how many deliveries each has
 * under way and how many it may have. An origin is remembered between its deliveries: whether its last response was
 * quick, and its last address. Bounded: the oldest are forgotten, unless they were used since.
 */
import { BoundedCache } from '../base/bounded-cache.ts';
import { networkOf } from '../domain/ip-address.ts';
import { domainOf, originOf } from '../domain/webhook-url.ts';
import type { Lease } from '../store/webhooks/deliveries.ts';
import type { FairQueue } from './fair-queue.ts';

/** Whether a lease is missing only new events, or has a backlog. */
export type LeaseAge = 'fresh' | 'backlog';
export const leaseAges = ['fresh', 'backlog'] as const satisfies readonly LeaseAge[];
/** Whether an origin's last response was quick; an origin without a response is slow. */
export type Lane = 'quick' | 'slow';

/** Origins that share a limit: how many are remembered, and how many deliveries to them are under way, or wait. */
type Group = { readonly name: string; origins: number; running: number; runningSlow: number; queued: number };
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
  lane: Lane;
  running: number;
  waiting: Waiting | undefined;
};

/** An origin's leases that wait, and the queues in which it is filed. */
export type Waiting = {
  readonly leases: Record<LeaseAge, Lease[]>;
  readonly filed: Record<LeaseAge, FairQueue<Origin> | undefined>;
};

/** Makes the state of an origin whose first lease has to wait. */
export const nothingWaiting = (): Waiting => ({
  leases: { fresh: [], backlog: [] },
  filed: { fresh: undefined, backlog: undefined },
});

const queuedOf = ({ waiting }: Origin): number =>
  waiting === undefined ? 0 : waiting.leases.fresh.length + waiting.leases.backlog.length;

const slowShare = 0.5;
/** How many are remembered, apart from those with deliveries under way or waiting. */
const remembered = 50_000;

/** Whether a group may have one more delivery under way, of `most` in all, half of them slow. */
export const hasShare = (group: Group, lane: Lane, most: number): boolean =>
  group.running < most && (lane === 'quick' || group.runningSlow < most * slowShare);

/** Adds one to the number under way, or subtracts it. */
export const count = (group: Group, lane: Lane, change: 1 | -1): void => {
  group.running += change;
  if (lane === 'slow') group.runningSlow += change;
};

export class Origins {
  readonly #origins: BoundedCache<Origin>;
  readonly #domains = new Map<string, Domain>();
  readonly #addresses = new Map<string, Address>();

  constructor() {
    this.#origins = new BoundedCache({
      max: remembered,
      isInUse: ({ running, waiting }) => running > 0 || waiting !== undefined,
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

  /** Drops an address that has neither origins nor deliveries under way. */
  release(address: Address): void {
    if (address.origins === 0 && address.running === 0) this.#addresses.delete(address.name);
  }

  #remember(slice: string): Origin {
    // A slice would keep its whole URL in memory.
    const name = Buffer.from(slice).toString();
    const domain = this.#domainNamed(domainOf(name));
    domain.origins += 1;
    const origin: Origin = { name, domain, address: undefined, lane: 'slow', running: 0, waiting: undefined };
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
const newGroup = (name: string): Group => ({ name, origins: 0, running: 0, runningSlow: 0, queued: 0 });
