/** The parameters of a route that takes few: those it does not have are refused. */
import type { RequestHandler } from 'express';
import { invalidInput } from '../operations/input.ts';

const encode = 'percent-encode the URL, as `curl -G --data-urlencode "url=…"` does';

/**
 * Refuses other parameters than these, of which one is a URL: if it was pasted as it is, everything after its first `&`
 * is such a parameter, and the rest may be the URL of somebody else. A `+` in it would be read as a space.
 */
export const onlyParameters =
  (names: readonly string[]): RequestHandler =>
  ({ url }, _res, next) => {
    const mark = url.indexOf('?');
    const pairs = mark === -1 ? [] : url.slice(mark + 1).split('&');
    const errors = pairs.flatMap((pair) => {
      const [name = ''] = new URLSearchParams(pair).keys();
      if (name !== '' && !names.includes(name))
        return [{ pointer: `?${name}`, detail: `is not a parameter of this route: ${encode}` }];
      return pair.includes('+')
        ? [{ pointer: `?${name}`, detail: `has a +, which means a space here: ${encode}` }]
        : [];
    });
    next(errors.length > 0 ? invalidInput(errors) : undefined);
  };
