/** Reads a web stream, and lets go of what comes after a limit. */
import { concat } from './bytes.ts';

/** The part of a web stream that is used. Its own type differs between runtimes. */
interface ByteStream {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(): Promise<unknown> };
}

/** The bytes; when there are more than `maxBytes`, more than those. */
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
