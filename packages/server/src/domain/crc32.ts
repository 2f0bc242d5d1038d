/**
 * The CRC-32 of bytes that were checked in parts. A CRC is a polynomial over GF(2) modulo the one of RFC 1952. A part
 * followed by `n` more bytes is multiplied by x^(8n), so joining costs one multiplication per part.
 */

const modulus = 0xedb8_8320;
const one = 0x8000_0000;

/** The product of two polynomials; the highest bit is the coefficient of x^0. */
const multiply = (a: number, b: number): number => {
  let product = 0;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) product ^= b;
    b = b & 1 ? (b >>> 1) ^ modulus : b >>> 1;
  }
  return product >>> 0;
};

/** x^(2^k) for k = 0 … 31. */
const powers: readonly number[] = (() => {
  const list = [one >>> 1];
  while (list.length < 32) {
    const last = list.at(-1) ?? one;
    list.push(multiply(last, last));
  }
  return list;
})();

/** x^(8 × bytes): the factor for a CRC that is followed by so many bytes. */
export const shiftOf = (bytes: number): number => {
  let shift = one;
  // The powers repeat: x^(2^32) is x again.
  for (let [rest, k] = [bytes, 3]; rest > 0; [rest, k] = [Math.floor(rest / 2), (k + 1) % 32])
    if (rest % 2 === 1) shift = multiply(powers[k] ?? one, shift);
  return shift;
};

/** The CRC of two consecutive parts; `shift` is that of the second part's length. */
export const joinCrc = (first: number, second: number, shift: number): number =>
  (multiply(shift, first) ^ second) >>> 0;
