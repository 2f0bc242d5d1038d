/** Posts deliveries from the command line, where an endpoint may want headers, or have a certificate of its own. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Answered, codeIn, type SignedDelivery } from '../testing/request.ts';

/** Posts a delivery like the service: within ten seconds, without following redirects. Rejects if nothing responds. */
export type Post = (url: string, delivery: SignedDelivery) => Promise<Answered>;

/** What every request has besides the delivery. `ca`: trusted authorities in place of the system's. */
export interface PostOptions {
  headers: Readonly<Record<string, string>>;
  ca?: string | undefined;
}

/** Makes a `Post`. */
export const createPost =
  ({ headers: own, ca }: PostOptions): Post =>
  (url, { headers, body }) =>
    new Promise((resolve, reject) => {
      const request = url.startsWith('https:') ? requestHttps : requestHttp;
      const options = { method: 'POST', headers: { ...own, ...headers }, signal: AbortSignal.timeout(10_000) };
      request(url, { ...options, ...(ca !== undefined && { ca }) }, (response) => {
        const { statusCode: status = 0, headers: answered } = response;
        text(response).then(
          (found) => resolve({ status, code: codeIn(found), retryAfter: answered['retry-after'] }),
          reject,
        );
      })
        .on('error', reject)
        .end(body);
    });
