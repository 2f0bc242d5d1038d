/** Reads a web stream up to a limit, and lets go of the rest. */
import { concat } from './bytes.ts';

/** The part of a web stream that is used. Its own type differs between runtimes. */
interface ByteStream {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(): Promise<unknown> };
}

/** The bytes; null when there are more than `maxBytes`. */
export const readStream = async (stream: ByteStream | null, maxBytes: number): Promise<Uint8Array | null> => {
  const reader = stream?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done || value === undefined) break;
    chunks.push(value);
    length += value.length;
    if (length <= maxBytes) continue;
    reader.cancel().catch(() => {});
    return null;
  }
  return concat(chunks);
};
