/** Gives every request target one spelling first, so that routes, lists, `Allow` and the log agree. */

const absolute = /^https?:\/\/[^/?#]*/i;
const unreserved = /%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/gi;

/**
 * The origin form of a target (RFC 9112 §3.2), without a trailing slash and without unnecessary escapes (RFC 3986
 * §6.2.2.2). The query stays as it was sent.
 */
export const canonicalTarget = (target: string): string => {
  const path = pathOf(target);
  if (path.startsWith('/') && !path.endsWith('/') && !path.includes('%')) return target;
  const decoded = path.replace(absolute, '').replace(unreserved, decodeURIComponent);
  const trimmed = /[^/]\/$/.test(decoded) ? decoded.slice(0, -1) : decoded;
  return `${trimmed === '' ? '/' : trimmed}${target.slice(path.length)}`;
};

/** The path of a target in origin form. */
export const pathOf = (target: string): string => {
  const mark = target.indexOf('?');
  return mark === -1 ? target : target.slice(0, mark);
};
