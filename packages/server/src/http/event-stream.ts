/** What every event stream begins with, and which clients read nothing else. */
import Negotiator from 'negotiator';

/** Its headers, as a flat list. */
export const eventStreamHeaders: readonly string[] = [
  'Content-Type',
  'text/event-stream; charset=utf-8',
  // A proxy that compresses would hold events back.
  'Cache-Control',
  'no-store, no-transform',
  'X-Accel-Buffering',
  'no',
];

/** The line that says when to reconnect: up to twice as late, because many lose their connections at the same time. */
export const reconnectAfter = (ms: number): string => `retry: ${Math.round(ms * (1 + Math.random()))}\n`;

/** Whether a client can read no error, such as an EventSource: any status but 200 ends it for good. */
export const readsOnlyEvents = (accept: string | undefined): boolean =>
  new Negotiator({ headers: { accept } }).mediaTypes(readable).join() === 'text/event-stream';
const readable = ['text/event-stream', 'application/problem+json', 'application/json', 'text/html'];
