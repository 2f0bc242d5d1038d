/**
 * Where webhooks are sent: origins, their owners, and the addresses they lead to, with how many deliveries each has
 * under way and how many it may have. An origin is remembered between its deliveries: whether its last response was
 * quick, and where its last connection led. Bounded: those that were not used for long are forgotten.
 */
import { networkOf } from '../domain/ip-address.ts';
import { registrableDomain } from '../domain/registrable-domain.ts';
import type { Lease } from '../store/deliveries.ts';
import type { FairQueue } from './fair-queue.ts';

/** Whether a lease lacks only new events, or has been behind for a while. */
export type LeaseAge = 'fresh' | 'backlog';
export const leaseAges = ['fresh', 'backlog'] as const satisfies readonly LeaseAge[];
/** Whether an origin's last response was quick; an origin without a response is slow. */
export type Lane = 'quick' | 'slow';

/** Origins that share a limit: how many are remembered, and how many deliveries to them are under way. */
type Group = { readonly name: string; origins: number; running: number; runningSlow: number };
/** All origins of a registrable domain. `queued`: leases that wait. */
export type Owner = Group & { queued: number };
/** All origins that lead to an address. `parked`: those that wait until fewer deliveries to it are under way. */
export type Address = Group & { parked: Set<Origin> | undefined };

/** A scheme, a host and a port. */
export type Origin = {
  readonly name: string;
  readonly owner: Owner;
  /** Where the last connection led, if there was one. */
  address: Address | undefined;
  lane: Lane;
  running: number;
  waiting: Waiting | undefined;
  /** Whether it was used again since it was last considered for forgetting. */
  wasUsed: boolean;
};

/** An origin's leases that wait, and where it is filed: in queues while it may start, with its address while not. */
export type Waiting = {
  readonly leases: Record<LeaseAge, Lease[]>;
  readonly filed: Record<LeaseAge, FairQueue<Origin> | undefined>;
  parked: Address | undefined;
};

/** For an origin that gets its first lease that waits. */
export const nothingWaiting = (): Waiting => ({
  leases: { fresh: [], backlog: [] },
  filed: { fresh: undefined, backlog: undefined },
  parked: undefined,
});

const slowShare = 0.5;
const remembered = 50_000;
/** When the memory is full and an origin comes, how many are considered for forgetting. */
const searched = 16;

/** Whether a group may have one more delivery under way, of `most` in all, half of them slow. */
export const hasShare = (group: Group, lane: Lane, most: number): boolean =>
  group.running < most && (lane === 'quick' || group.runningSlow < most * slowShare);

/** Adds one to the number under way, or subtracts it. */
export const count = (group: Group, lane: Lane, change: 1 | -1): void => {
  group.running += change;
  if (lane === 'slow') group.runningSlow += change;
};

/** The origins of one process, by name. */
export class Origins {
  readonly #most: number;
  readonly #origins = new Map<string, Origin>();
  readonly #owners = new Map<string, Owner>();
  readonly #addresses = new Map<string, Address>();
  /** Goes round them, and forgets those that were not used since it last came by. */
  #hand = this.#origins.values();

  /** `most`: how many are remembered. */
  constructor(most = remembered) {
    this.#most = most;
  }

  /** How many origins, owners and addresses are held. */
  get sizes(): readonly [origins: number, owners: number, addresses: number] {
    return [this.#origins.size, this.#owners.size, this.#addresses.size];
  }

  values(): Iterable<Origin> {
    return this.#origins.values();
  }

  /** The origin of a URL. */
  of(url: string): Origin {
    const name = url.slice(0, url.indexOf('/', 'https://'.length));
    const found = this.#origins.get(name);
    if (found === undefined) return this.#remember(name);
    found.wasUsed = true;
    return found;
  }

  /** Records where a connection to an origin led: the part of the address that belongs to a single owner. */
  connected(name: string, address: string): void {
    const origin = this.#origins.get(name) ?? this.#remember(name);
    const network = networkOf(address);
    if (origin.address?.name === network) return;
    this.#leave(origin);
    let group = this.#addresses.get(network);
    if (group === undefined) this.#addresses.set(network, (group = newAddress(network)));
    group.origins += 1;
    origin.address = group;
  }

  /** Drops an address that has neither origins nor deliveries under way. */
  release(address: Address): void {
    if (address.origins === 0 && address.running === 0) this.#addresses.delete(address.name);
  }

  #remember(slice: string): Origin {
    for (let i = 0; i < searched && this.#origins.size >= this.#most; i += 1) this.#forgetNext();
    // A slice would keep its whole URL in memory.
    const name = Buffer.from(slice).toString();
    const owner = this.#ownerOf(registrableDomain(name.slice('https://'.length).replace(/:\d+$/, '')));
    owner.origins += 1;
    const origin: Origin = {
      name,
      owner,
      address: undefined,
      lane: 'slow',
      running: 0,
      waiting: undefined,
      wasUsed: false,
    };
    this.#origins.set(name, origin);
    return origin;
  }

  #forgetNext(): void {
    const next = this.#hand.next();
    if (next.done === true) {
      this.#hand = this.#origins.values();
      return;
    }
    const origin = next.value;
    if (origin.wasUsed || origin.running > 0 || origin.waiting !== undefined) {
      origin.wasUsed = false;
      return;
    }
    const { name, owner } = origin;
    this.#origins.delete(name);
    owner.origins -= 1;
    if (owner.origins === 0) this.#owners.delete(owner.name);
    this.#leave(origin);
  }

  #leave({ address }: Origin): void {
    if (address === undefined) return;
    address.origins -= 1;
    this.release(address);
  }

  #ownerOf(name: string): Owner {
    let owner = this.#owners.get(name);
    if (owner === undefined) this.#owners.set(name, (owner = newOwner(name)));
    return owner;
  }
}

// Written out: what is spread into an object may get a hidden class of its own in V8, and each access to one of a
// thousand classes takes a slow path.
const newOwner = (name: string): Owner => ({ name, origins: 0, running: 0, runningSlow: 0, queued: 0 });
const newAddress = (name: string): Address => ({ name, origins: 0, running: 0, runningSlow: 0, parked: undefined });
