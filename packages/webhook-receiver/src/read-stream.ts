/** Reads a web stream up to a limit, and lets go of the rest. */
import { concat } from './bytes.ts';

/** The bytes; null when there are more than `maxBytes`. */
export const readStream = async (stream: Response['body'], maxBytes: number): Promise<Uint8Array | null> => {
  const reader = stream?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length <= maxBytes) continue;
    reader.cancel().catch(() => {});
    return null;
  }
  return concat(chunks);
};
