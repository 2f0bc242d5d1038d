/**
 * What is remembered of origins from one delivery to the next: the registrable domain they are of, whether the last
 * response was quick, and the address that the last connection led to. Bounded: those not asked for for longest are
 * forgotten, half of all at once.
 */
import { registrableDomain } from '../domain/registrable-domain.ts';

/** What is remembered of an origin. Whoever learns something new writes it here. */
export type KnownOrigin = {
  readonly domain: string;
  /** Whether its last response was quick; nobody is trusted before the first. */
  isQuick: boolean;
  /** Where the last connection to it led, by the part of the address that one owner has whole. */
  address: string | undefined;
};

const remembered = 25_000;

/** The memory of one process. */
export class KnownOrigins {
  #recent = new Map<string, KnownOrigin>();
  #before = new Map<string, KnownOrigin>();

  /** What is remembered of an origin, from now on at the latest. */
  of(origin: string): KnownOrigin {
    const found = this.#recent.get(origin);
    if (found !== undefined) return found;
    const known = this.#before.get(origin) ?? { domain: domainOf(origin), isQuick: false, address: undefined };
    if (this.#recent.size >= remembered) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(origin, known);
    return known;
  }

  /** Remembers where a connection led. */
  connected(origin: string, address: string): void {
    this.of(origin).address = networkOf(address);
  }
}

const domainOf = (origin: string): string => registrableDomain(origin.slice('https://'.length).replace(/:\d+$/, ''));

/** An IPv4 address, or the /64 of an IPv6 one: nobody is given less. */
const networkOf = (address: string): string => {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (address.includes('::')) {
    const after = tail === '' ? 0 : tail.split(':').length;
    while (groups.length + after < 8) groups.push('0');
  }
  return groups.slice(0, 4).join(':');
};
