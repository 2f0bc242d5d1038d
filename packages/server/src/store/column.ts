/** Numbers by ordinal, eight bytes each. */
import { countBelow } from '../domain/ordinals.ts';

export class Column {
  #values = new Float64Array(1_024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get(ordinal: number): number {
    return this.#values[ordinal] ?? 0;
  }

  set(ordinal: number, value: number): void {
    if (ordinal >= this.#values.length) {
      const longer = new Float64Array(Math.ceil((ordinal + 1) * 1.25));
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[ordinal] = value;
    this.#length = Math.max(this.#length, ordinal + 1);
  }

  /** How many leading values are below this one. The values must ascend. */
  countBelow(value: number): number {
    return countBelow(this.#values, value, this.#length);
  }
}
