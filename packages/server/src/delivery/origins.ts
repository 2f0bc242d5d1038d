/**
 * Origins with leases waiting or under way, their owners, and the addresses they lead to: how many deliveries each has
 * under way, and how many it may have.
 */
import type { Lease } from '../store/deliveries.ts';
import type { FairQueue, Owner as QueuedOwner } from './fair-queue.ts';
import type { KnownOrigin, KnownOrigins } from './known-origins.ts';

/** Whether a lease lacks only new events, or has been behind for a while. */
export type LeaseAge = 'fresh' | 'backlog';
export const leaseAges = ['fresh', 'backlog'] as const satisfies readonly LeaseAge[];
/** Whether an origin's last response was quick; an origin without a response is slow. */
export type Lane = 'quick' | 'slow';

/** A group that shares a limit: an owner's deliveries under way, or those to an address. */
type Group = { readonly name: string; running: number; runningSlow: number };
export type Owner = QueuedOwner & Group & { queued: number };
/** `parked`: origins that wait until fewer deliveries to this address are under way. */
export type Address = Group & { readonly parked: Set<Origin> };

/** Where webhooks are sent: a scheme, a host and a port. */
export type Origin = {
  readonly name: string;
  readonly owner: Owner;
  known: KnownOrigin;
  lane: Lane;
  running: number;
  readonly queues: Record<LeaseAge, Lease[]>;
  /** Where it is filed while it may start, by age, and the address where it is parked while it may not. */
  readonly filed: Record<LeaseAge, FairQueue<Origin> | undefined>;
  parked: Address | undefined;
};

const slowShare = 0.5;

/** Whether a group may have one more delivery under way, of `most` in all, half of them slow. */
export const hasShare = (group: Group, lane: Lane, most: number): boolean =>
  group.running < most && (lane === 'quick' || group.runningSlow < most * slowShare);

/** Adds one to the number under way, or subtracts it. */
export const count = (group: Group, lane: Lane, change: 1 | -1): void => {
  group.running += change;
  if (lane === 'slow') group.runningSlow += change;
};

/** Origins by name, for as long as they have leases. */
export class Origins {
  readonly #known: KnownOrigins;
  readonly #origins = new Map<string, Origin>();
  readonly #owners = new Map<string, Owner>();
  readonly #addresses = new Map<string, Address>();

  constructor(known: KnownOrigins) {
    this.#known = known;
  }

  values(): Iterable<Origin> {
    return this.#origins.values();
  }

  /** The origin of a URL. */
  of(url: string): Origin {
    const name = url.slice(0, url.indexOf('/', 'https://'.length));
    const found = this.#origins.get(name);
    if (found !== undefined) return found;
    const known = this.#known.of(name);
    const origin: Origin = {
      name,
      owner: this.#ownerOf(known.domain),
      known,
      lane: known.isQuick ? 'quick' : 'slow',
      running: 0,
      queues: { fresh: [], backlog: [] },
      filed: { fresh: undefined, backlog: undefined },
      parked: undefined,
    };
    this.#origins.set(name, origin);
    return origin;
  }

  /** Drops an origin that has no leases any more. */
  release({ name, running, owner, queues }: Origin): void {
    if (running > 0 || queues.fresh.length > 0 || queues.backlog.length > 0) return;
    this.#origins.delete(name);
    if (owner.running === 0 && owner.queued === 0) this.#owners.delete(owner.name);
  }

  /** The address that an origin last led to, while other deliveries to it are under way. */
  addressOf({ known }: Origin): Address | undefined {
    return known.address === undefined ? undefined : this.#addresses.get(known.address);
  }

  /** The address that an origin last led to, if known, for a delivery that is about to start. */
  openAddressOf(origin: Origin): Address | undefined {
    origin.known = this.#known.again(origin.name, origin.known);
    const name = origin.known.address;
    if (name === undefined) return undefined;
    let address = this.#addresses.get(name);
    if (address === undefined)
      this.#addresses.set(name, (address = { name, running: 0, runningSlow: 0, parked: new Set() }));
    return address;
  }

  /** Drops an address that has no deliveries under way. */
  releaseAddress({ name }: Address): void {
    this.#addresses.delete(name);
  }

  #ownerOf(name: string): Owner {
    let owner = this.#owners.get(name);
    if (owner === undefined) this.#owners.set(name, (owner = { name, running: 0, runningSlow: 0, queued: 0 }));
    return owner;
  }
}
