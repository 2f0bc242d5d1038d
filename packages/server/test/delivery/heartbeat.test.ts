import { it } from 'vitest';
import { listen } from '@bot-directory/testing/event-stream';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

let offsetMs = 0;
const service = useStarted(() => startService({ world: { offsetMs: () => offsetMs } }));

// The documented fifteen seconds.
it('an idle stream sends a heartbeat, even one that was opened after all events had left the log', async () => {
  const early = await listen(`${service.url}/api/events/stream`);
  await service.publish('Forgotten');
  await until('it is open, and has the event', () => early.messages().length === 1);
  offsetMs = 31 * 86_400_000;
  await until('the event is gone', async () => (await service.get<unknown[]>('/api/events')).body.length === 0);
  const late = await listen(`${service.url}/api/events/stream`);
  await until('it is open', () => late.text().startsWith('retry: '));
  const streams = [early, late];
  const before = streams.map(({ text }) => text());
  await until(
    'a comment comes on both',
    () => streams.every(({ text }, i) => text() === `${before[i] ?? ''}:\n\n`),
    18_000,
  );
  const slug = await service.publish('Next');
  for (const { messages } of streams)
    await until('the next event comes', () => messages().at(-1)?.data.includes(`"slug":"${slug}"`) === true);
  await Promise.all(streams.map(({ stop }) => stop()));
});
