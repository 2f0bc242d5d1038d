/** The id of each request, which its response, its problem and the log share. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

type Identified = IncomingMessage & { requestId?: string };

/** Makes what returns an id that no process has returned before. */
export const requestIds = (): (() => string) => {
  const process = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `req_${process}_${(count += 1).toString(36)}`;
};

export const identify = (req: Identified, id: string): void => {
  req.requestId = id;
};

export const requestIdOf = ({ requestId = '' }: Identified): string => requestId;
