/**
 * Whether a fault may be ours: a control look-up of a name that is always there. A resolver that responds, whatever it
 * says, and a network that leads to it, are no excuse for anybody else's failure.
 */
import type { Resolve } from './guarded-lookup.ts';

/** Whether our resolver, and the network to it, respond now. */
export type IsOnline = () => Promise<boolean>;

/** The first of the root name servers: it is as old as the system of names. */
const controlName = 'a.root-servers.net';
/** How long one response serves everybody who asks. */
const validForMs = 5_000;
const noSuchName: readonly string[] = ['ENOTFOUND', 'ENODATA'];

/** A control look-up that is shared by all who ask within five seconds. */
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
