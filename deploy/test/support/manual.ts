/** The blocks of commands in docs/OPERATIONS.md, as they stand there. */
import { expect } from 'vitest';
import { read } from './files.ts';

const manual = read('docs/OPERATIONS.md');

export type Block = { readonly line: number; readonly note: string; readonly commands: string };

/** Every block, in the order of the manual. */
export const blocks: readonly Block[] = [...manual.matchAll(/^```sh *(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
  line: manual.slice(0, match.index).split('\n').length,
  note: match[1] ?? '',
  commands: match[2] ?? '',
}));

/** Returns the commands of the one block that has all these words. */
export const block = (...words: readonly string[]): string => {
  const found = blocks.filter((one) => words.every((word) => `${one.note}\n${one.commands}`.includes(word)));
  expect(found, words.join()).toHaveLength(1);
  return found[0]?.commands ?? '';
};
