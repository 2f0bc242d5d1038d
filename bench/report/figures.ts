/** Finds figures in results. */
import type { Figure, Result } from '../support/results.ts';

/** Returns the figures with this name of one contender. */
export const figuresOf = (figures: readonly Figure[], name: string, who: string): Figure[] =>
  figures.filter((one) => one.name === name && one.who === who);

/** Returns all figures of `bench list-by-size`, the smallest directory first. */
export const bySize = (results: readonly Result[]): Figure[] =>
  results
    .filter(({ name }) => name.startsWith('list-by-size-'))
    .flatMap(({ figures }) => figures)
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
