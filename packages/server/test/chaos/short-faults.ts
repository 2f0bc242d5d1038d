/** The short version of `npm run endurance chaos`: after each fault every promise holds. */
import { afterAll, expect, it } from 'vitest';
import { faults, type Fault } from './faults.ts';
import { openChaos } from './run.ts';

/** Adds a test of each short fault that is chosen. */
export const testShortFaults = (isChosen: (fault: Fault) => boolean): void => {
  const chaos = openChaos();
  afterAll(() => chaos.close());
  const short = faults.filter((fault) => fault.isShort && fault.impossible?.() === undefined && isChosen(fault));
  it.each(short.map((fault) => [fault.name, fault] as const))('holds every promise when %s', async (_name, fault) => {
    expect(await chaos.run(fault)).toMatchObject({ broken: [] });
  });
};
