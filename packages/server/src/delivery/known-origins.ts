/**
 * What is remembered of origins from one delivery to the next: whether the last response was quick, and the address that
 * the last connection led to. Bounded: those not heard of for longest are forgotten, half of all at once.
 */

type Known = { isQuick: boolean; address: string | undefined };

const remembered = 25_000;

/** The memory of one process. */
export class KnownOrigins {
  #recent = new Map<string, Known>();
  #before = new Map<string, Known>();

  /** Whether its last response was quick; nobody is trusted before the first. */
  isQuick(origin: string): boolean {
    return this.#find(origin)?.isQuick === true;
  }

  /** Where the last connection to it led, by the part of the address that one owner has whole. */
  addressOf(origin: string): string | undefined {
    return this.#find(origin)?.address;
  }

  /** Remembers how quick its last response was. */
  responded(origin: string, isQuick: boolean): void {
    this.#open(origin).isQuick = isQuick;
  }

  /** Remembers where a connection led. */
  connected(origin: string, address: string): void {
    this.#open(origin).address = networkOf(address);
  }

  #find(origin: string): Known | undefined {
    return this.#recent.get(origin) ?? this.#before.get(origin);
  }

  #open(origin: string): Known {
    const found = this.#recent.get(origin);
    if (found !== undefined) return found;
    const known = this.#before.get(origin) ?? { isQuick: false, address: undefined };
    if (this.#recent.size >= remembered) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(origin, known);
    return known;
  }
}

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
