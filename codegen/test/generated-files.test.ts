/** What is committed is what the contract gives. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generatedFiles, root } from '../src/generated-files.ts';

const files = [...(await generatedFiles())];

describe('a generated file', () => {
  it.each(files)('%s is committed as `npm run generate` writes it', (path, text) => {
    expect(readFileSync(new URL(path, root), 'utf8')).toBe(text);
  });
});
