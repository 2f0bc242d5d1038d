/** Reads of the list as a client makes them, without decoding: the bytes on the wire are what is measured. */
import { Agent, get } from 'node:http';

/** What came. `total` is the list's `X-Total-Count`. */
export type Answer = {
  readonly tookMs: number;
  readonly bytes: number;
  readonly total: number;
  readonly encoding: string;
  readonly etag: string;
};

const agent = new Agent({ keepAlive: true });

/** Requests a list. Rejects unless the response is a 200. */
export const read = (baseUrl: string, query: string, acceptEncoding = 'identity'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const startedAtMs = performance.now();
    get(`${baseUrl}/api/bots${query}`, { agent, headers: { 'Accept-Encoding': acceptEncoding } }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode !== 200) {
          reject(new Error(`GET /api/bots${query}: ${String(answer.statusCode)}`));
          return;
        }
        const { 'x-total-count': total, 'content-encoding': encoding = 'identity', etag = '' } = answer.headers;
        resolve({ tookMs: performance.now() - startedAtMs, bytes, total: Number(total), encoding, etag });
      });
    }).on('error', reject);
  });
