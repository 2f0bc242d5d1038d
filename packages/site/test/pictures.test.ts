/** The pictures of the documentation show the pages as they are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashIn, pictureFolder, pictures } from './pictures.ts';

it('has the pictures that `npm run screenshots` makes, and no others', () => {
  expect(readdirSync(pictureFolder).sort()).toEqual(Object.keys(pictures()).sort());
});

it.each(Object.entries(pictures()))(
  '%s was taken from what is there now; `npm run screenshots` renews it',
  (file, hash) => {
    expect(hashIn(readFileSync(join(pictureFolder, file)))).toBe(hash);
  },
);
