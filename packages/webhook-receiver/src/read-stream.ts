/** Reads a web stream up to a limit. */
import { concat } from './bytes.ts';

/** The part of a web stream that is used. The full type differs between runtimes. */
interface ByteStream {
  getReader(): ByteReader;
}

interface ByteReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
}

/** Returns whether something has read the body of a `Request`, or is reading it. */
export const isTaken = ({ bodyUsed, body }: Pick<Request, 'bodyUsed' | 'body'>): boolean =>
  bodyUsed || Boolean(body?.locked);

/**
 * The most of a body that is read, as a multiple of its limit. Without a bound, a sender could fill the memory of a
 * receiver that passes a `clone()`: the other branch keeps all that is read of this one.
 */
const maxFactor = 64;

/**
 * Reads the stream. If it is longer than `maxBytes`, the result is too, and more of it is discarded as it arrives, so
 * that the sender can read the response. Limiting how long a sender may take is left to the server. The stream is not
 * cancelled: under some servers that breaks the connection before the response is sent, or ends the process.
 */
export const readStream = async (stream: ByteStream | null, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  const reader = stream?.getReader();
  if (!reader) return concat(chunks);
  const length = await take(reader, maxBytes, (chunk) => chunks.push(chunk));
  if (length > maxBytes) take(reader, maxBytes * maxFactor - length, () => undefined).catch(() => undefined);
  return concat(chunks);
};

/** Takes chunks until the stream ends or they exceed `maxBytes`. Returns their length. */
const take = async (reader: ByteReader, maxBytes: number, keep: (chunk: Uint8Array) => unknown): Promise<number> => {
  let length = 0;
  while (length <= maxBytes) {
    const { done, value } = await reader.read();
    if (done || !value) break;
    keep(value);
    length += value.length;
  }
  return length;
};
