/** Lets faults strike, those on one kind of store one after the other in one world. */
import type { Fault } from './faults.ts';
import { Ledger, type Verdict } from './ledger.ts';
import { startWorld, type World } from './world.ts';

/** Writes that are taken before a fault strikes. */
const before = 20;

/** Keeps one world, for as long as faults of its kind come. */
export const openChaos = () => {
  let current: { world: World; ledger: Ledger } | undefined;
  const close = async (): Promise<void> => {
    await current?.world.stop();
    current = undefined;
  };
  return {
    /** Lets a fault strike. Throws if the world does not recover. */
    run: async (fault: Fault): Promise<Verdict> => {
      if (current?.world.kind !== fault.on) await close();
      if (current === undefined) {
        const world = await startWorld(fault.on);
        current = { world, ledger: new Ledger(world) };
      }
      const { world, ledger } = current;
      ledger.start();
      try {
        await ledger.written(before);
        return await ledger.settle(await fault.strike(world, ledger));
      } finally {
        await ledger.end();
      }
    },
    close,
  };
};
