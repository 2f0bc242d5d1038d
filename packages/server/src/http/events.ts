/** The event log over HTTP: as JSON, and as Server-Sent Events that resume after `Last-Event-ID`. */
import { once } from 'node:events';
import type { Express, Request, Response } from 'express';
import { deliveryRoutes, eventQuery, limits } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { EventId } from '../base/ids.ts';
import { createLimiter } from '../base/limiter.ts';
import type { EventLog, LoggedEvent } from '../store/event-log.ts';
import { configured, invalidInput, queryErrors } from './inputs.ts';

/** What the routes need. */
export type EventRoutesDeps = { readonly events: EventLog; readonly baseUrl: string; readonly streams: Streams };

/** Counts open streams. */
type Streams = { inc: () => void; dec: () => void };

const heartbeatMs = 15_000;
const reconnectMs = 3_000;
/** Reads of the store at once, and those that wait: its connection is shared, and a page of the log is long. */
const storeReads = { atOnce: 4, waiting: 500 } as const;
const eventId = /^evt_[0-9A-Z]{26}$/;

/**
 * Mounts both routes. ts-rest would parse and print every envelope again; these send the log's bytes. `ending` ends
 * streams.
 */
export const mountEvents = (app: Express, deps: EventRoutesDeps | undefined, ending: AbortSignal): void => {
  const reading = limitReads();
  const open = new Set<AbortController>();
  // One listener for all: a signal looks through those it has whenever one is added.
  ending.addEventListener('abort', () => {
    for (const over of open) over.abort();
  });
  app.get(deliveryRoutes.listEvents.path, async (req, res) => {
    const query = readQuery(req);
    const routeDeps = configured(deps);
    await reading(() => listEvents(routeDeps, query, res));
  });
  app.get(deliveryRoutes.streamEvents.path, async (req, res) => {
    const after = readId(req.get('last-event-id')) ?? readQuery(req).after;
    const routeDeps = configured(deps);
    const over = endOf(res, open);
    if (ending.aborted) over.abort();
    await streamEvents(routeDeps, { after, over: over.signal, reading }, res).finally(() => open.delete(over));
  });
};

type Reading = <T>(read: () => Promise<T>) => Promise<T>;

const limitReads = (): Reading => {
  const limit = createLimiter(storeReads);
  return (read) => limit(read) ?? Promise.reject(tooMany());
};

const tooMany = (): Failure =>
  new Failure('store_unavailable', 'Too many read the event log at the moment.', { retryAfterSec: 1 });

type Query = { readonly after: EventId | undefined; readonly limit?: number | undefined };

const readQuery = (req: Request): Query => {
  const query = eventQuery.safeParse(req.query);
  if (!query.success) throw invalidInput(queryErrors(query.error.issues));
  return { ...query.data, after: readId(query.data.after) };
};

const readId = (id: string | undefined): EventId | undefined => {
  if (id === undefined || eventId.test(id)) return id as EventId | undefined;
  throw invalidInput([{ pointer: '?after', detail: 'must be an event id, shaped evt_<id>' }]);
};

/** Envelopes after an event, oldest first; `Link` leads to more while there are any. */
const listEvents = async ({ events, baseUrl }: EventRoutesDeps, query: Query, res: Response): Promise<void> => {
  const from = query.after === undefined ? 0 : await positionOf(events, query.after);
  const most = query.limit ?? limits.pageSize;
  const found = await events.read(from, most + 1);
  const page = found.slice(0, most);
  const last = page.at(-1);
  if (found.length > page.length && last !== undefined)
    res.setHeader('Link', `<${baseUrl}/api/events?after=${last.id}&limit=${most}>; rel="next"`);
  res.setHeader('Cache-Control', 'no-cache');
  res.type('json').send(Buffer.from(`[${page.map(({ body }) => body.toString()).join(',')}]`));
};

/** Envelopes as they are published. Each reader pulls from the log at its own pace, so a slow one delays nobody. */
const streamEvents = async (
  { events, streams }: EventRoutesDeps,
  { after, over, reading }: Stream & { after: EventId | undefined },
  res: Response,
): Promise<void> => {
  const isOver = (): boolean => over.aborted;
  // Behind another response on its connection, a stream may wait for ever.
  if (res.socket === null) await once(res, 'socket', { signal: over }).catch(() => undefined);
  if (isOver()) return void res.end();
  events.start();
  // A reader without a position gets one, so that it can resume even if the connection drops before its first event.
  const last = after === undefined ? await reading(() => events.last()) : undefined;
  const from = after === undefined ? (last?.number ?? 0) : await reading(() => positionOf(events, after));
  if (isOver()) return void res.end();
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  });
  if (res.req.method !== 'HEAD') {
    res.write(`retry: ${reconnectMs}\n${last === undefined ? '' : `id: ${last.id}\n`}\n`);
    streams.inc();
    await follow(events, from, { res, over, reading }).finally(() => streams.dec());
  }
  res.end();
};

/** `over`: the response is closed, by either side, or the server stops. */
type Stream = { readonly over: AbortSignal; readonly reading: Reading };

/**
 * What ends a stream: aborted when its response is closed. To be called before the first await, during which a reader
 * that leaves would go unnoticed.
 */
const endOf = (res: Response, open: Set<AbortController>): AbortController => {
  const over = new AbortController();
  open.add(over);
  if (res.destroyed) over.abort();
  res.once('close', () => over.abort());
  return over;
};

/** Writes the events after `from` until the response ends. */
const follow = async (
  events: EventLog,
  from: number,
  { res, over, reading }: Stream & { res: Response },
): Promise<void> => {
  let position = from;
  const isOver = (): boolean => over.aborted;
  while (!isOver()) {
    const { head } = events;
    const last = position;
    const found = events.remembered(last) ?? (await reading(() => events.after(last)));
    // Events up to the head that are not found are gone. A reader that kept waiting for them would never sleep.
    position = found.at(-1)?.number ?? Math.max(position, head);
    const text = found.map(toServerSentEvent).join('');
    if (text !== '' && !isOver() && !res.write(text)) await once(res, 'drain', { signal: over }).catch(() => undefined);
    if (found.length > 0) continue;
    await events.waitBeyond(position, heartbeatMs, over);
    if (events.head <= position && !isOver()) res.write(':\n\n');
  }
};

const toServerSentEvent = ({ id, type, body }: LoggedEvent): string =>
  `id: ${id}\nevent: ${type}\ndata: ${body.toString()}\n\n`;

const positionOf = async (events: EventLog, id: EventId): Promise<number> => {
  const number = await events.positionOf(id);
  if (number === undefined) throw new Failure('event_not_found', 'The event log has no such event, or no longer.');
  return number;
};
