import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';
import { Origins } from './origins.ts';

const url = (name: string): string => `https://${name}/hook`;

it('a fair queue knows what an owner has under way when a second owner comes, though it was alone when that changed', () => {
  const [origins, queue] = [new Origins(), new FairQueue()];
  const [busy, idle] = [origins.of(url('busy.test')), origins.of(url('idle.test'))];
  idle.owner.running = 1;
  queue.add(busy);
  busy.owner.running = 2;
  queue.moved(busy.owner);
  queue.add(idle);
  expect(queue.next(() => true)).toBe(idle);
  idle.owner.running = 3;
  queue.moved(idle.owner);
  expect(queue.next(() => true)).toBe(busy);
});
