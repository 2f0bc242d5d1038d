/** The short version of `npm run endurance chaos`: after each fault every promise holds. */
import { afterAll, expect, it } from 'vitest';
import { faults } from './faults.ts';
import { openChaos } from './run.ts';

const chaos = openChaos();
afterAll(() => chaos.close());

const short = faults.filter(({ isShort, impossible }) => isShort && impossible?.() === undefined);
it.each(short.map((fault) => [fault.name, fault] as const))('holds every promise when %s', async (_name, fault) => {
  expect(await chaos.run(fault)).toMatchObject({ broken: [] });
});
