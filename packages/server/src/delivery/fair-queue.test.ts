import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';
import { type Origin, Origins } from './origins.ts';

const url = (name: string): string => `https://${name}/hook`;

it('a fair queue knows what a domain has under way when a second domain comes, though it was alone when that changed', () => {
  const origins = new Origins();
  const queue = new FairQueue<Origin>();
  const busy = origins.of(url('busy.test'));
  const idle = origins.of(url('idle.test'));
  idle.domain.inFlight = 1;
  queue.add(busy);
  busy.domain.inFlight = 2;
  queue.moved(busy.domain);
  queue.add(idle);
  expect(queue.next(() => true)).toBe(idle);
  idle.domain.inFlight = 3;
  queue.moved(idle.domain);
  expect(queue.next(() => true)).toBe(busy);
});
