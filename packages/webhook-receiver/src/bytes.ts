/** Bytes and base64, using only what every runtime has. */

/** Encodes a string as UTF-8. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Decodes canonical, padded base64. Returns undefined for anything else, so that no two texts decode to the same bytes.
 */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  try {
    const binary = atob(text);
    if (btoa(binary) === text) return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    // Not base64: undefined, as for base64 that is not canonical.
  }
  return undefined;
};

/** Encodes bytes as padded base64. */
export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Concatenates arrays of bytes. */
export const concat = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
};
