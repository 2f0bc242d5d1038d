import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

describe('a fair queue', () => {
  it('knows what an owner has under way when a second owner comes, though it was alone when that changed', () => {
    const queue = new FairQueue<{ owner: { name: string; running: number } }>();
    const [busy, idle] = [
      { name: 'busy', running: 0 },
      { name: 'idle', running: 1 },
    ];
    queue.add({ owner: busy });
    busy.running = 2;
    queue.moved(busy);
    queue.add({ owner: idle });
    expect(queue.next(() => true)?.owner).toBe(idle);
    idle.running = 3;
    queue.moved(idle);
    expect(queue.next(() => true)?.owner).toBe(busy);
  });
});
