/**
 * Failures whose cause is outside of this process, such as a store that is away. All requests then fail alike: the log
 * gets a line for the first, and one with their number when it is over, however many clients ask meanwhile.
 */
import type { ServerResponse } from 'node:http';
import type { Log } from '../base/log.ts';

/** An outage is over when no request has failed for so long. */
const quietMs = 10_000;
/** How many causes of one code get a line of their own in an outage. */
const maxReasons = 5;

export type OutsideFailure = { readonly code: string; readonly reason: string; readonly request_id: string };
/** Logs the failure of a request, or counts it. */
export type LogOutage = (res: ServerResponse, failure: OutsideFailure) => void;

const counted = new WeakSet<ServerResponse>();

/** Whether the failure of this request was only counted, so that nothing else of it need be logged. */
export const isOnlyCounted = (res: ServerResponse): boolean => counted.has(res);

type Outage = { readonly timer: NodeJS.Timeout; readonly reasons: Set<string>; requests: number };

export const createOutageLog = (log: Log): LogOutage => {
  const outages = new Map<string, Outage>();
  const begin = (code: string): Outage => {
    const end = (): void => {
      outages.delete(code);
      log.warn(
        { code, requests: outage.requests, reasons: [...outage.reasons] },
        'no request fails like this any more',
      );
    };
    const outage: Outage = { timer: setTimeout(end, quietMs).unref(), reasons: new Set(), requests: 0 };
    outages.set(code, outage);
    return outage;
  };
  return (res, failure) => {
    const { code, reason } = failure;
    const outage = outages.get(code) ?? begin(code);
    outage.timer.refresh();
    outage.requests += 1;
    if (outage.reasons.has(reason) || outage.reasons.size === maxReasons) return void counted.add(res);
    outage.reasons.add(reason);
    log.warn(failure, 'not served');
  };
};
