/** The READMEs of the published packages say what they are tested with. */
import { expect, it } from 'vitest';
import { readmeOf } from '../src/support.ts';

it.each(['sdk', 'receiver'] as const)(
  'the README of the %s is up to date; `npm run generate` renews it',
  async (name) => {
    const { found, made } = await readmeOf(name);
    expect(found).toBe(made);
  },
);
