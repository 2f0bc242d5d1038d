/**
 * Whether a fault may be ours: a control lookup of a name that always exists. If our resolver responds, whatever it
 * says, the fault is not ours.
 */
import type { Resolve } from './guarded-lookup.ts';

/** Whether our resolver, and the network to it, respond now. */
export type IsOnline = () => Promise<boolean>;

/** The first of the root name servers: it has existed as long as DNS. */
const controlName = 'a.root-servers.net';
/** How long one result is shared. */
const validForMs = 5_000;
const noSuchName: readonly string[] = ['ENOTFOUND', 'ENODATA'];

/** A control lookup that is shared by all callers within five seconds. */
export const createIsOnline = (resolve: Resolve): IsOnline => {
  let askedMs = -Infinity;
  let response = Promise.resolve(true);
  const ask = (): Promise<boolean> =>
    resolve(controlName).then(
      () => true,
      (error: unknown) => error instanceof Error && 'code' in error && noSuchName.includes(String(error.code)),
    );
  return () => {
    if (performance.now() - askedMs >= validForMs) {
      askedMs = performance.now();
      response = ask();
    }
    return response;
  };
};
