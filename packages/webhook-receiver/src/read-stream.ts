/** Reads a web stream up to a limit. */
import { concat } from './bytes.ts';

/** The part of a web stream that is used. The full type differs between runtimes. */
interface ByteStream {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(): Promise<unknown> };
}

/** Reads the stream. If it is longer than `maxBytes`, the result is too, and the rest is not read. */
export const readStream = async (stream: ByteStream | null, maxBytes: number): Promise<Uint8Array> => {
  const reader = stream?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (reader && length <= maxBytes) {
    const { done, value } = await reader.read();
    if (done || !value) return concat(chunks);
    chunks.push(value);
    length += value.length;
  }
  reader?.cancel().catch(() => {});
  return concat(chunks);
};
