/** The blocks of commands in docs/OPERATIONS.md, as they stand there. */
import { expect } from 'vitest';
import { read } from './files.ts';

const blocks = [...read('docs/OPERATIONS.md').matchAll(/^```sh *(.*)\n([\s\S]*?)^```$/gm)].map(
  ([, note = '', text = '']) => ({ note, commands: text }),
);

/** Returns the commands of the one block that has all these words. */
export const block = (...words: readonly string[]): string => {
  const found = blocks.filter((one) => words.every((word) => `${one.note}\n${one.commands}`.includes(word)));
  expect(found, words.join()).toHaveLength(1);
  return found[0]?.commands ?? '';
};

/** The commands of every block. */
export const commands: readonly string[] = blocks.map((one) => one.commands);
