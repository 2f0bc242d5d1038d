/** The one spelling that every request target gets first, so that routes, lists and the log agree. */

const absolute = /^https?:\/\/[^/?#]*/i;
const unreserved = /%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/gi;

/**
 * The origin form of a target (RFC 9112 §3.2), without a trailing slash and without unnecessary escapes (RFC 3986
 * §6.2.2.2). The query stays as it was sent. A `#`, which no target may have, is an escaped one: Express would drop it
 * with what follows.
 */
export const canonicalTarget = (sent: string): string => {
  const target = sent.includes('#') ? sent.replaceAll('#', '%23') : sent;
  const path = pathOf(target);
  if (path.startsWith('/') && !path.endsWith('/') && !path.includes('%')) return target;
  const decoded = path.replace(absolute, '').replace(unreserved, decodeURIComponent);
  const trimmed = /[^/]\/$/.test(decoded) ? decoded.slice(0, -1) : decoded;
  return `${trimmed === '' ? '/' : trimmed}${target.slice(path.length)}`;
};

/** Whether a target was sent with a trailing slash, which its canonical form does not have. */
export const hasTrailingSlash = (target: string): boolean => /[^/]\/$/.test(pathOf(target).replace(absolute, ''));

/** The path of a target in origin form. */
export const pathOf = (target: string): string => {
  const mark = target.indexOf('?');
  return mark === -1 ? target : target.slice(0, mark);
};
