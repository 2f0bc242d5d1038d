/** What a publish and a delivery that waits cost in Redis, while nobody delivers: ours and BullMQ's. */
import { manyOrigins } from './endpoints.ts';
import type { Fixture } from './fixture.ts';

export type Memory = {
  /** Bytes of one publish, the bot included: nobody registered, and everybody behind. */
  readonly perPublish: { readonly alone: number; readonly behind: number };
  /** Bytes of one delivery that is still to be made. */
  readonly perPending: { readonly ours: number; readonly bullmq: number };
};

const webhooks = 20_000;
const events = 200;

/** Measured by `used_memory`. No worker may run. */
export const measureMemory = async (fixture: Fixture): Promise<Memory> => {
  const { directory, queue } = fixture;
  const grown = async (run: () => Promise<unknown>): Promise<number> => {
    const before = await directory.usedMemory();
    await run();
    return (await directory.usedMemory()) - before;
  };
  const publishAll = async (): Promise<void> => {
    for (let i = 0; i < events; i++) await directory.publish();
  };
  const targets = manyOrigins(fixture.port, webhooks);
  await publishAll();
  const alone = await grown(publishAll);
  await directory.register(targets);
  const behind = await grown(publishAll);
  const jobs = await grown(() =>
    fixture.addJobs(
      targets.map(({ url }) => url),
      0,
    ),
  );
  await queue.obliterate({ force: true });
  await directory.unregister(targets);
  return {
    perPublish: { alone: alone / events, behind: behind / events },
    perPending: { ours: (behind - alone) / (events * webhooks), bullmq: jobs / webhooks },
  };
};
