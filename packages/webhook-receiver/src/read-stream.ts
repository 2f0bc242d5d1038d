/** Reads a web stream up to a limit. */
/** The part of a web stream that is used. The full type differs between runtimes. */
interface ByteStream {
  getReader(): ByteReader;
}

interface ByteReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
}

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
export const readStream = async (stream: ByteStream | null, maxBytes: number): Promise<ArrayBuffer> => {
  const chunks: Uint8Array[] = [];
  const reader = stream?.getReader();
  let length = 0;
  /** Takes chunks until the stream ends or they exceed `most` bytes, and keeps those that begin within the limit. */
  const take = async (most: number): Promise<void> => {
    while (length <= most) {
      const { value } = (await reader?.read()) ?? {};
      if (!value) break;
      if (length <= maxBytes) chunks.push(value);
      length += value.length;
    }
  };
  await take(maxBytes);
  if (length > maxBytes) take(maxBytes * maxFactor).catch(() => undefined);
  return new Blob(chunks).arrayBuffer();
};
