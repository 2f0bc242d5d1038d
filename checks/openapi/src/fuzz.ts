/** Sends requests generated from the document and checks every response against it. */
import { Agent, request as send } from 'node:http';
import fc from 'fast-check';
import { requestOf, type Request } from './arbitrary.ts';
import { mismatch, operations, type Received } from './document.ts';

/** The result: how many responses had each status, and which were wrong. */
export interface Fuzzed {
  statuses: Record<string, number>;
  /** One line each: how the response differs, and the request that shows it. */
  faults: string[];
}

const atOnce = 16;
const perBatch = 500;

/** Sends `count` requests to the service at `baseUrl`. Equal seeds send equal requests. */
export const fuzz = async (baseUrl: string, { count, seed }: { count: number; seed: number }): Promise<Fuzzed> => {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const fuzzed: Fuzzed = { statuses: {}, faults: [] };
  for (let sent = 0; sent < count; sent += perBatch) {
    const requests = fc.sample(requestOf(operations), { seed: seed + sent, numRuns: Math.min(perBatch, count - sent) });
    const next = requests.values();
    const sendAll = async (): Promise<void> => {
      for (const request of next) await sendOne(fuzzed, request, () => exchange(agent, baseUrl, request));
    };
    await Promise.all(Array.from({ length: atOnce }, sendAll));
  }
  agent.destroy();
  return fuzzed;
};

const sendOne = async (fuzzed: Fuzzed, request: Request, call: () => Promise<Received>): Promise<void> => {
  const { operation, target, body } = request;
  const fault = (text: string) =>
    fuzzed.faults.push(`${text}: ${operation.method} ${target} ${(body ?? '').slice(0, 500)}`);
  try {
    const received = await call();
    fuzzed.statuses[received.status] = (fuzzed.statuses[received.status] ?? 0) + 1;
    const difference = mismatch(operation, received);
    if (difference !== undefined) fault(difference);
    // A 503 is documented for a provider that does not respond; this service has a store and a provider.
    if (received.status >= 500) fault(`${received.status} ${received.body}`);
  } catch (error) {
    fault(String(error));
  }
};

/** One exchange. An event stream is closed once its head has arrived. */
const exchange = (agent: Agent, baseUrl: string, { operation, target, headers, body }: Request): Promise<Received> =>
  new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes === undefined ? {} : { 'Content-Length': bytes.length };
    const request = send(
      new URL(baseUrl),
      { agent, method: operation.method, path: target, headers: { ...headers, ...length }, timeout: 10_000 },
      (response) => {
        const status = response.statusCode ?? 0;
        const type = response.headers['content-type'];
        if (type?.startsWith('text/event-stream') === true) {
          resolve({ status, type, body: '' });
          response.destroy();
          return;
        }
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status, type, body: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error('no answer in 10 seconds')));
    request.end(bytes);
  });
