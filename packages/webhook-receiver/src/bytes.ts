/** Bytes and base64, with nothing but what every runtime has. */

/** UTF-8. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The bytes of canonical, padded base64; undefined for anything else, so that no two texts mean the same bytes. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  try {
    const binary = atob(text);
    if (btoa(binary) === text) return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    // Undefined, like base64 that is not canonical.
  }
  return undefined;
};

/** Base64, padded. */
export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** One after the other. */
export const concat = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
};
