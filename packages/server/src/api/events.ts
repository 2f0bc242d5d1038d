/** The event log over HTTP: as JSON, and as Server-Sent Events that resume after `Last-Event-ID`. */
import { once } from 'node:events';
import { Stream } from 'node:stream';
import type { Request, Response } from 'express';
import { addressOf, deliveryRoutes, limits } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { EventId, Ids } from '../base/ids.ts';
import { createTurns, type Turns } from '../base/limiter.ts';
import { logValues, parseEventQuery, type LogQuery } from '../directory/listing.ts';
import { isWanted, type LoggedEvent } from '../domain/event.ts';
import { clientOf } from '../http/clients.ts';
import { eventStreamHeaders, reconnectAfter } from '../http/event-stream.ts';
import { setAll } from '../http/problems.ts';
import { configured, invalidInput } from '../operations/input.ts';
import type { Resource } from '../reads/resource.ts';
import type { EventLog } from '../store/events/event-log.ts';
import type { LogPage, LogPages, LogState } from '../store/events/log-views.ts';
import { envelopeWith, parseIncluding, type Included } from './included.ts';

/** How the log is read. `turns`: those of clients. */
export type EventReads = { readonly events: EventLog; readonly pages: LogPages; readonly turns: Turns };

/** What a stream also needs: `streams` counts the open ones. */
export type EventLogDeps = EventReads & {
  readonly ids: Pick<Ids, 'event'>;
  readonly streams: { inc: () => void; dec: () => void };
};

const heartbeatMs = 15_000;
const reconnectMs = 2_000;
/** Events that a stream reads at once. */
const streamedAtOnce = 100;

const tooMany = (): Failure =>
  new Failure('store_unavailable', 'Too many clients are reading the event log.', { retryAfterSec: 1 });

/** Makes the turns: the store's connection is shared, and a page of the log is long. */
export const createEventTurns = (): Turns => createTurns({ atOnce: 4, waitMs: 1_000, tooLate: tooMany });

/** A page of a query. `last`: the last event that was examined for it. */
type QueryPage = LogPage & { readonly last: LoggedEvent | undefined };

/** Whether a reader is to have an event; one without a subscription has all that are true. */
const isFor = (subscription: LogQuery['subscription'], event: LoggedEvent): boolean =>
  subscription === undefined ? event.isTrue : isWanted(event, subscription);

/** Reads a page of a query. It examines a limited number of events. */
const readPage = async (
  pages: LogPages,
  { state, from }: Known,
  { limit, subscription }: LogQuery,
): Promise<QueryPage> => {
  const events: LoggedEvent[] = [];
  let last: LoggedEvent | undefined;
  let examined = 0;
  for (;;) {
    const page = await pages.read(state, last?.number ?? from, limits.pageSize);
    for (const event of page.events) {
      last = event;
      examined += 1;
      if (isFor(subscription, event)) events.push(event);
      if (events.length === limit) return { events, last, isLast: page.isLast && event === page.events.at(-1) };
    }
    if (page.isLast || examined >= limits.eventsExamined) return { events, last, isLast: page.isLast };
  }
};

/** The `Link` header of a page that has a next one. */
export const nextLink = (address: string): string => `<${address}>; rel="next"`;

/** A state of the log, and where a query's page begins in it. */
type Known = { readonly state: LogState; readonly from: number };

/** Reads envelopes after an event, oldest first; `Link` is the next page while there is one. */
export const readEvents = (
  { events, pages, turns }: EventReads,
  query: LogQuery & Included,
  { address, templateHost }: { readonly address: string; readonly templateHost: string },
): Resource => {
  const { after, include } = query;
  let known: Known = { state: { past: '', version: '', order: 0 }, from: 0 };
  return {
    query,
    freshness: {
      of: 'resource',
      renew: async (req) => {
        const state = await pages.check();
        await turns(clientOf(req), async () => {
          const isOther = known.state.past !== state.past;
          const from = after !== undefined && isOther ? await positionOf(events, after) : known.from;
          // `make` finds the page where this leaves it.
          await readPage(pages, { state, from }, query);
          // Another request may have checked later.
          if (state.order >= known.state.order) known = { state, from };
        });
      },
      state: () => ({ version: known.state.version, changedAtMs: undefined }),
    },
    make: async () => {
      const { events: page, last, isLast } = await readPage(pages, known, query);
      const isEnd = isLast || last === undefined;
      const link = isEnd ? undefined : nextLink(addressOf(address, { ...logValues(query), include, after: last.id }));
      return { body: jsonArray(page.map((event) => envelopeWith(event, { include, templateHost }))), link };
    },
  };
};

/** Joins envelopes to a JSON array. */
const jsonArray = (page: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('['),
    ...page.flatMap((body, i) => (i === 0 ? [body] : [Buffer.from(','), body])),
    Buffer.from(']'),
  ]);

const { query: _query, headers: _headers, ...streamEvents } = deliveryRoutes.streamEvents;

/** The stream as ts-rest serves it. It reads its own input, since `Last-Event-ID` takes precedence over `after`. */
export const streamRoute = { streamEvents } as const;

/** How streams are served. `events` undefined: saving is not configured. `ending` ends them. */
type StreamDeps = {
  readonly events: EventLogDeps | undefined;
  readonly categories: readonly string[];
  readonly templateHost: string;
  readonly ending: AbortSignal;
};

export const createStreamHandler = ({ events, categories, templateHost, ending }: StreamDeps) => {
  const open = new Set<AbortController>();
  // One listener for all streams: a signal searches its listeners whenever one is added.
  ending.addEventListener('abort', () => {
    for (const over of open) over.abort();
  });
  return {
    streamEvents: async ({ req, res }: { readonly req: Request; readonly res: Response }) => {
      const query = sentQuery(req, categories);
      const logDeps = configured(events);
      const over = endOf(res, open);
      if (ending.aborted) over.abort();
      await sendEvents(logDeps, { ...query, templateHost, over: over.signal }, res).finally(() => open.delete(over));
      return { status: 200 as const, body: alreadySent };
    },
  };
};

/** ts-rest lets a body that is a stream write itself; the events have been written. */
const alreadySent = new (class extends Stream {
  override pipe<Destination>(to: Destination): Destination {
    return to;
  }
})();

/** A stream begins after any id: one that is no event's is reported as gone, since a refusal would end a browser's. */
type StreamQuery = Included & {
  readonly after: string | undefined;
  readonly subscription: LogQuery['subscription'];
};

/** Reads the position that a browser sends by itself, or as polyfills send it, before `after`. An empty one is none. */
const sentQuery = (req: Request, categories: readonly string[]): StreamQuery => {
  const parameters = new URLSearchParams(req.url.split('?', 2)[1] ?? '');
  const last = req.get('last-event-id') || parameters.get('lastEventId') || undefined;
  parameters.delete('lastEventId');
  if (last !== undefined) parameters.delete('after');
  const sent = parseIncluding(parameters, () => parseEventQuery(parameters, categories));
  if (!sent.ok) throw invalidInput(sent.errors);
  const { after, subscription, include } = sent.value;
  return { after: last ?? after, subscription, include };
};

/** Sends envelopes as they are published. Each reader pulls from the log at its own pace: a slow one delays nobody. */
const sendEvents = async (
  deps: EventLogDeps,
  { after, over, ...wanted }: StreamQuery & { readonly templateHost: string; readonly over: AbortSignal },
  res: Response,
): Promise<void> => {
  const { events, ids, streams, turns } = deps;
  const client = clientOf(res.req);
  const reading = <T>(read: () => Promise<T>): Promise<T> => turns(client, read);
  const isOver = (): boolean => over.aborted;
  // A stream that is queued behind another response on its connection may wait forever.
  if (res.socket === null) await once(res, 'socket', { signal: over }).catch(() => undefined);
  if (isOver()) return void beginStream(res).end();
  events.start();
  const last = after === undefined ? await reading(() => events.last()) : undefined;
  const from = after === undefined ? (last?.number ?? 0) : await reading(() => events.positionOf(after));
  // A reader without a position gets one, so that it can resume even if the connection drops before its first event.
  // Where there are no events, it is the id of one that would be published now.
  beginStream(res, after === undefined ? (last?.id ?? ids.event()) : undefined);
  if (res.req.method !== 'HEAD' && !isOver()) {
    // A browser never reconnects after an error response, so a position that is gone is reported as an event.
    if (from === undefined) res.write(`event: gap\ndata: ${JSON.stringify({ after })}\n\n`);
    streams.inc();
    await follow(deps, { ...wanted, from: from ?? 0 }, { res, over, reading }).finally(() => streams.dec());
  }
  res.end();
};

/** Also a stream that is over begins so: a browser reconnects after no other response. `after`: where to resume. */
const beginStream = (res: Response, after?: EventId): Response => {
  setAll(res, eventStreamHeaders);
  res.writeHead(200);
  if (res.req.method !== 'HEAD')
    res.write(`${reconnectAfter(reconnectMs)}\n${after === undefined ? '' : positionEvent(after)}`);
  return res;
};

/** Which events a stream has, and what their bots have in addition. */
type Wanted = Omit<StreamQuery, 'after'> & { readonly templateHost: string };

/** `over`: the response is closed, by either side, or the server stops. */
type Reader = { readonly over: AbortSignal; readonly reading: <T>(read: () => Promise<T>) => Promise<T> };

/**
 * Makes what ends a stream; it aborts when the response is closed. Call this before the first await, during which a
 * reader that leaves would go unnoticed.
 */
const endOf = (res: Response, open: Set<AbortController>): AbortController => {
  const over = new AbortController();
  open.add(over);
  if (res.destroyed) over.abort();
  res.once('close', () => over.abort());
  return over;
};

/** Writes the events after `from` that are wanted, until the response ends. */
const follow = async (
  { events, pages }: EventReads,
  { from, ...wanted }: Wanted & { readonly from: number },
  { res, over, reading }: Reader & { res: Response },
): Promise<void> => {
  let position = from;
  const isOver = (): boolean => over.aborted;
  while (!isOver()) {
    const { head } = events;
    const last = position;
    const found =
      events.remembered(last) ??
      (await reading(async () => (await pages.read(await pages.check(), last, streamedAtOnce)).events));
    // Events up to the head that are not found are gone. A reader that kept waiting for them would never sleep.
    position = found.at(-1)?.number ?? Math.max(position, head);
    const text = toServerSentEvents(found, wanted);
    if (text !== '' && !isOver() && !res.write(text)) await once(res, 'drain', { signal: over }).catch(() => undefined);
    if (found.length > 0) continue;
    await events.waitBeyond(position, heartbeatMs, over);
    if (events.head <= position && !isOver()) res.write(':\n\n');
  }
};

/** Where to resume. It has data, because clients of npm and Rust keep no id of a block without. */
const positionEvent = (id: EventId): string => `id: ${id}\nevent: position\ndata: ${JSON.stringify({ after: id })}\n\n`;

/** Writes the wanted events, and then the position after the last event of all. */
const toServerSentEvents = (found: readonly LoggedEvent[], { subscription, ...adding }: Wanted): string => {
  const wanted = found.filter((event) => isFor(subscription, event));
  const last = found.at(-1);
  const position = last === undefined || last === wanted.at(-1) ? '' : positionEvent(last.id);
  return `${wanted.map((event) => toServerSentEvent(event, envelopeWith(event, adding))).join('')}${position}`;
};

const toServerSentEvent = ({ id, type }: LoggedEvent, body: Buffer): string =>
  `id: ${id}\nevent: ${type}\ndata: ${body.toString()}\n\n`;

const positionOf = async (events: EventLog, id: EventId): Promise<number> => {
  const number = await events.positionOf(id);
  if (number === undefined)
    throw new Failure('event_not_found', 'The event log does not have this event; it may be too old.');
  return number;
};
