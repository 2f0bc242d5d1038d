/**
 * Loaded before the server's own code (`--import`): reports the state of the process at PROBE_PORT, and begins to
 * watch its event loop again. At `/collected`, with `--expose-gc`, it collects garbage first.
 */
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

createServer((request, response) => {
  const longestStallMs = delay.max / 1e6;
  const { user, system } = process.cpuUsage();
  if (request.url === '/collected') globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  response.end(JSON.stringify({ cpuUs: user + system, rss, heapUsed, external, longestStallMs }));
  // The collection above is a stall of its own: forgotten when the timers have seen it.
  setTimeout(() => delay.reset(), 10 * resolutionMs);
})
  .listen(Number(process.env.PROBE_PORT), '127.0.0.1')
  .unref();
