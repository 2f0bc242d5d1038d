import { describe, expect, it } from 'vitest';
import { readStream } from './read-stream.ts';

/**
 * Makes a stream of 10-byte chunks that counts those that are taken. After the last it ends, fails or waits forever.
 */
const chunks = (count: number, end: 'close' | 'error' | 'wait' = 'close') => {
  const seen = { taken: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.taken++ < count) {
          controller.enqueue(new Uint8Array(10));
          return;
        }
        if (end === 'close') controller.close();
        if (end === 'error') controller.error(new Error('the connection was cut'));
        return end === 'wait' ? new Promise(() => {}) : undefined;
      },
      cancel: () => void (seen.cancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { seen, stream };
};

describe('a stream', () => {
  it('is read to its end, and a missing one is an empty body', async () => {
    expect((await readStream(chunks(10).stream, 100)).byteLength).toBe(100);
    expect((await readStream(null, 100)).byteLength).toBe(0);
  });

  it.each(['close', 'error', 'wait'] as const)(
    'beyond the limit is discarded as it comes, never cancelled, and %s ends it',
    async (end) => {
      const { seen, stream } = chunks(50, end);
      expect((await readStream(stream, 100)).byteLength).toBe(110);
      await expect.poll(() => seen).toEqual({ taken: 51, cancelled: false });
    },
  );

  it('without an end is left alone after 64 times the limit', async () => {
    const { seen, stream } = chunks(Infinity);
    expect((await readStream(stream, 100)).byteLength).toBe(110);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen).toEqual({ taken: 641, cancelled: false });
  });

  it('that breaks off within the limit rejects', async () => {
    await expect(readStream(chunks(5, 'error').stream, 100)).rejects.toThrow('cut');
  });
});
