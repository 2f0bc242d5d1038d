/**
 * What is remembered about origins between deliveries: their registrable domain, whether the last response was quick,
 * and the address of the last connection. Bounded: the half that was not used for longest is dropped at once.
 */
import { networkOf } from '../domain/ip-address.ts';
import { registrableDomain } from '../domain/registrable-domain.ts';

/** What is remembered about an origin. Callers update it. */
export type KnownOrigin = {
  readonly domain: string;
  /** The generation of the memory in which it was last used. */
  generation: number;
  /** Whether its last response was quick; false before the first one. */
  isQuick: boolean;
  /** Where the last connection to it led: the part of the address that belongs to a single owner. */
  address: string | undefined;
};

const remembered = 25_000;

/** The memory of one process. */
export class KnownOrigins {
  #recent = new Map<string, KnownOrigin>();
  #before = new Map<string, KnownOrigin>();
  #generation = 0;

  /** Returns what is remembered about an origin, and begins to remember it if needed. */
  of(origin: string): KnownOrigin {
    const found = this.#recent.get(origin);
    if (found !== undefined) return found;
    const known = this.#before.get(origin) ?? newOrigin(origin);
    if (this.#recent.size >= remembered) {
      this.#before = this.#recent;
      this.#recent = new Map();
      this.#generation += 1;
    }
    known.generation = this.#generation;
    this.#recent.set(origin, known);
    return known;
  }

  /** Returns the same, or what is remembered now if that may have been dropped. */
  again(origin: string, known: KnownOrigin): KnownOrigin {
    return known.generation === this.#generation ? known : this.of(origin);
  }

  /** Records where a connection led. */
  connected(origin: string, address: string): void {
    this.of(origin).address = networkOf(address);
  }
}

const newOrigin = (origin: string): KnownOrigin => ({
  domain: domainOf(origin),
  generation: 0,
  isQuick: false,
  address: undefined,
});

const domainOf = (origin: string): string => registrableDomain(origin.slice('https://'.length).replace(/:\d+$/, ''));
