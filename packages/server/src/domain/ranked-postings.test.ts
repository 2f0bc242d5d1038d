import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRanks, type BotOrder, type Rank } from './bot-orders.ts';
import { RankedPostings } from './ranked-postings.ts';

const ranks: [string, fc.Arbitrary<Rank>][] = [
  ['numbers', fc.nat(5)],
  ['strings', fc.constantFrom('', 'a', 'ab', 'B', 'ä')],
];
const firsts: BotOrder['first'][] = ['highest', 'lowest'];

describe.each(firsts)('entries by rank, the %s first', (first) => {
  it.each(ranks)('are walked in order from anywhere, by %s', (_, rank) => {
    const entries = fc.array(fc.record({ rank, isGone: fc.boolean() }), { maxLength: 40 });
    const start = fc.option(fc.record({ rank, ordinal: fc.nat(40) }), { nil: undefined });
    fc.assert(
      fc.property(entries, start, (all, from) => {
        const postings = new RankedPostings({ first });
        const among = new Uint32Array(2).fill(0xffff_ffff);
        for (const [ordinal, one] of all.entries()) postings.add(one.rank, ordinal);
        for (const [ordinal, one] of all.entries()) if (one.isGone) postings.delete(one.rank, ordinal);
        const found: number[] = [];
        postings.each(among, from, (ordinal) => found.push(ordinal) > 0);
        const direction = first === 'lowest' ? 1 : -1;
        type Place = { readonly rank: Rank; readonly ordinal: number };
        const order = (a: Place, b: Place): number => direction * compareRanks(a.rank, b.rank) || b.ordinal - a.ordinal;
        const expected = all
          .map((one, ordinal) => ({ ...one, ordinal }))
          .filter((one) => !one.isGone && (from === undefined || order(one, from) > 0))
          .sort(order);
        expect(found).toEqual(expected.map(({ ordinal }) => ordinal));
      }),
    );
  });
});
