/** A client under load, which notices every request that is lost. */
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** The longest pause: a stop meets clients with a request under way, and clients with an idle connection. */
const pauseMs = 400;

/**
 * One keep-alive client: reads and writes in turn, with pauses, and says what failed. It does not retry after a lost
 * connection, and takes any certificate.
 */
export const startClient = (url: string) => {
  const { Agent, request } = url.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const failures: string[] = [];
  let answered = 0;
  let stopped = false;
  const ask = (method: string, path: string, body: string): Promise<void> =>
    new Promise((resolve) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
      const fail = (why: string): void => {
        failures.push(`${method} ${path}: ${why}`);
        resolve();
      };
      let text = '';
      request(`${url}${path}`, { agent, method, headers }, (res) =>
        res
          .setEncoding('utf8')
          .on('error', (error) => fail(error.message))
          .on('data', (chunk: string) => (text += chunk))
          .on('end', () => {
            if (res.statusCode !== (method === 'GET' ? 200 : 400)) return fail(`${res.statusCode ?? 0} ${text}`);
            answered += 1;
            resolve();
          }),
      )
        .on('error', (error) => fail(error.message))
        .end(body);
    });
  const run = async (): Promise<void> => {
    for (let i = 0; !stopped; i += 1) {
      await (i % 4 === 0 ? ask('POST', '/api/feed', '{"url":"x"}') : ask('GET', '/api/bots?limit=5', ''));
      await sleep(Math.random() * pauseMs);
    }
    agent.destroy();
  };
  const running = run();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return { answered, failures };
    },
  };
};
