/** The parameters of a route that takes few: those it does not have are refused, and those it has twice. */
import type { RequestHandler } from 'express';
import { onlyOnce } from '../base/parsed.ts';
import { invalidInput } from '../operations/input.ts';

const encode = 'percent-encode the URL, as `curl -G --data-urlencode "url=…"` does';

/**
 * Refuses a repeated parameter, and others than these, of which one is a URL: if it was pasted as it is, everything
 * after its first `&` is such a parameter, and the rest may be the URL of somebody else. A `+` in it would be read as a
 * space.
 */
export const onlyParameters =
  (names: readonly string[]): RequestHandler =>
  ({ url }, _res, next) => {
    const mark = url.indexOf('?');
    const pairs = mark === -1 ? [] : url.slice(mark + 1).split('&');
    const namesSent = pairs.map((pair) => new URLSearchParams(pair).keys().next().value ?? '');
    const errors = pairs.flatMap((pair, i) => {
      const name = namesSent[i] ?? '';
      if (name === '') return [];
      if (!names.includes(name))
        return [{ pointer: `?${name}`, detail: `is not a parameter of this route: ${encode}` }];
      if (namesSent.indexOf(name) < i) return [{ pointer: `?${name}`, detail: onlyOnce }];
      return pair.includes('+')
        ? [{ pointer: `?${name}`, detail: `has a +, which means a space here: ${encode}` }]
        : [];
    });
    next(errors.length > 0 ? invalidInput(errors) : undefined);
  };
