/** The blocks of commands in docs/OPERATIONS.md, as they stand there. */
import { expect } from 'vitest';
import { read } from './files.ts';

const blocks = [...read('docs/OPERATIONS.md').matchAll(/^```sh *(.*)\n([\s\S]*?)^```$/gm)].map(
  ([, note = '', commands = '']) => ({ note, commands }),
);

/** Returns the commands of the one block that has all these words. */
export const block = (...words: readonly string[]): string => {
  const found = blocks.filter(({ note, commands }) => words.every((one) => `${note}\n${commands}`.includes(one)));
  expect(found, words.join()).toHaveLength(1);
  return found[0]?.commands ?? '';
};
