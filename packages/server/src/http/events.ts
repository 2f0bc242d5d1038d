/** The event log over HTTP: as JSON, and as Server-Sent Events that resume after `Last-Event-ID`. */
import { once } from 'node:events';
import type { Express, Request, Response } from 'express';
import { deliveryRoutes, eventQuery, limits } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { EventId } from '../base/ids.ts';
import type { EventLog, LoggedEvent } from '../store/event-log.ts';
import { configured, invalidInput, queryErrors } from './inputs.ts';

/** What the routes need. */
export type EventRoutesDeps = { readonly events: EventLog; readonly baseUrl: string; readonly streams: Streams };

/** Counts open streams. */
type Streams = { inc: () => void; dec: () => void };

const heartbeatMs = 15_000;
const reconnectMs = 3_000;
const eventId = /^evt_[0-9A-Z]{26}$/;

/**
 * Mounts both routes. ts-rest would parse and print every envelope again; these send the log's bytes. `ending` ends
 * streams.
 */
export const mountEvents = (app: Express, deps: EventRoutesDeps | undefined, ending: AbortSignal): void => {
  app.get(deliveryRoutes.listEvents.path, async (req, res) => {
    const query = readQuery(req);
    await listEvents(configured(deps), query, res);
  });
  app.get(deliveryRoutes.streamEvents.path, async (req, res) => {
    const after = readId(req.get('last-event-id')) ?? readQuery(req).after;
    await streamEvents(configured(deps), { after, ending }, res);
  });
};

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
  { after, ending }: { after: EventId | undefined; ending: AbortSignal },
  res: Response,
): Promise<void> => {
  // Before the first await: a reader that leaves during it would go unnoticed.
  const over = endOf(res, ending);
  events.start();
  // A reader without a position gets one, so that it can resume even if the connection drops before its first event.
  const last = after === undefined ? await events.last() : undefined;
  const from = after === undefined ? (last?.number ?? 0) : await positionOf(events, after);
  if (over.aborted) return void res.end();
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  });
  if (res.req.method !== 'HEAD') {
    res.write(`retry: ${reconnectMs}\n${last === undefined ? '' : `id: ${last.id}\n`}\n`);
    streams.inc();
    await follow(events, from, { res, over }).finally(() => streams.dec());
  }
  res.end();
};

/** Aborted when the response is closed, by either side, or the server stops. */
const endOf = (res: Response, ending: AbortSignal): AbortSignal => {
  const over = new AbortController();
  const end = (): void => {
    over.abort();
  };
  if (res.destroyed || ending.aborted) end();
  res.once('close', end);
  ending.addEventListener('abort', end, { signal: over.signal });
  return over.signal;
};

/** Writes the events after `from` until the response ends. */
const follow = async (
  events: EventLog,
  from: number,
  { res, over }: { res: Response; over: AbortSignal },
): Promise<void> => {
  let position = from;
  const isOver = (): boolean => over.aborted;
  while (!isOver()) {
    const { head } = events;
    const found = await events.after(position);
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
