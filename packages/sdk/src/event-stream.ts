/** The event stream as an async iterator. It reconnects by itself and resumes after the last event it yielded. */
import { ApiError, BotDirectoryError, DecodeError, NetworkError, TimeoutError } from './errors.ts';
import { closable } from './closable.ts';
import { createEventParser, type Message } from './event-parser.ts';
import { abortedError, type Attempt, exchange, fail, pause, within } from './exchange.ts';
import { eventTypes, streamEventsRoute } from './operations.gen.ts';
import { type CallOptions, type Connection, given } from './options.ts';
import { prepare } from './request.ts';
import { isTransient, retryDelayMs } from './retry.ts';
import { settingsOf } from './settings.ts';
import type { DirectoryEvent, StreamEventsInput } from './types.gen.ts';

/** Options of a stream. It ends by `break`, by its `signal`, or by an error that reconnecting cannot fix. */
export interface StreamOptions extends Omit<CallOptions, 'deadlineMs'> {
  /**
   * Failed connections in a row before the stream gives up.
   * @default Infinity; until a connection opens, the client's for time-outs, and pages and 4xx not from the API
   */
  retries?: number | undefined;
  /**
   * Milliseconds without data or heartbeats after which the connection counts as lost.
   * @default 45_000
   */
  idleTimeoutMs?: number | undefined;
  /**
   * Whether to also yield events of types that this version does not know; narrow them with `isKnownEvent`.
   * @default false
   */
  unknownTypes?: boolean | undefined;
  /** Called when the log no longer has the event to resume after. The stream goes on with the oldest event it has. */
  onGap?: (() => void) | undefined;
}

/** An event of a type that this version does not know. */
export interface UnknownEvent {
  /** Event id, shaped evt_<ULID>. */
  id: string;
  /** The type, such as `bot.renamed`. */
  type: string;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** What the type carries. */
  data: unknown;
}

/** Options of a stream that yields only events of types that this version knows. */
export interface KnownTypesOptions extends StreamOptions {
  /** Events of other types are skipped. */
  unknownTypes?: false | undefined;
}

/** A connection that lasted this long counts as good, even without events. */
const steadyMs = 5_000;

/**
 * Streams events as they happen, beginning with those after `after`. Skips types that this version does not know, and
 * any of the last thousand events that the server sends again. If the log no longer reaches back to `after`, the stream
 * begins with the oldest event that it has, and calls `onGap`. Rejects like an operation.
 */
export function streamEvents(
  connection: Connection,
  input?: StreamEventsInput,
  options?: KnownTypesOptions,
): AsyncGenerator<DirectoryEvent, void, undefined>;
/**
 * Streams events of every type if `unknownTypes` is true, beginning with those after `after`; `isKnownEvent` narrows to
 * the types that this version knows. If the log no longer reaches back to `after`, the stream begins with the oldest
 * event that it has, and calls `onGap`. Rejects like an operation.
 */
export function streamEvents(
  connection: Connection,
  input?: StreamEventsInput,
  options?: StreamOptions,
): AsyncGenerator<DirectoryEvent | UnknownEvent, void, undefined>;
export function streamEvents(
  connection: Connection,
  input: StreamEventsInput = {},
  options: StreamOptions = {},
): AsyncGenerator<DirectoryEvent | UnknownEvent, void, undefined> {
  return closable(
    options,
    (signal) => connections(connection, input, { ...given(options), signal }),
    (error) => fail({ hooks: [connection.hooks, options.hooks] }, error),
  );
}

/** An attempt to connect. */
type StreamAttempt = Attempt & Pick<StreamOptions, 'onGap' | 'unknownTypes'> & { idleTimeoutMs: number };

/** How far the stream has got. */
interface Position {
  /** What to ask for; its `after` is the last event's id. */
  input: StreamEventsInput;
  retryMs: number | undefined;
  /**
   * How many time-outs, and pages and 4xx not from the API, are still tolerated before a connection opens for the first
   * time.
   */
  patience: number;
  /** Ids of the last events: a store that has lost events may send others again. */
  seen: Set<unknown>;
  /** When the current connection's response began; NaN if it did not. */
  openedAt: number;
}

async function* connections(
  connection: Connection,
  input: StreamEventsInput,
  options: StreamOptions,
): AsyncGenerator<DirectoryEvent | UnknownEvent> {
  const { retries = Infinity } = options;
  const call = {
    idleTimeoutMs: 45_000,
    ...settingsOf(connection, streamEventsRoute, options),
    deadlineMs: Infinity,
    startedAtMs: 0,
  };
  const position: Position = {
    input: { ...input },
    retryMs: undefined,
    patience: connection.retries,
    seen: new Set([input.after]),
    openedAt: NaN,
  };
  for (let attempts = 1, failures = 0; ; attempts++) {
    // In the query, not in `Last-Event-ID`: in a browser, that header needs a CORS preflight.
    const attempt = { ...call, attempts, request: prepare(call, streamEventsRoute, position.input) };
    position.openedAt = NaN;
    let error: unknown = new NetworkError(attempt, 'the stream ended');
    try {
      for await (const event of receive(attempt, position)) {
        failures = 0;
        yield event;
      }
    } catch (cause) {
      error = cause;
    }
    failures = performance.now() - position.openedAt > steadyMs ? 1 : failures + 1;
    if (!(error instanceof BotDirectoryError) || failures > retries) throw error;
    const isSilent = error instanceof TimeoutError && options.retries === undefined && position.patience-- <= 0;
    // React Native's `fetch` hands a body over only at its end, and a stream has none.
    if (isSilent) error.message += '; pass a `fetch` that can stream, or poll `events.list`';
    if (isSilent || !(isTransient(error) || mayPass(error, position))) throw error;
    const { retryAfterMs = position.retryMs }: Partial<ApiError> = error;
    await pause(attempt, error, retryDelayMs(failures, Math.random(), retryAfterMs));
  }
}

/**
 * Returns whether something between client and API responded in its place, such as a proxy with its own error or a
 * maintenance page. A new connection may get through; but if none ever did, `baseUrl` may be wrong.
 */
const mayPass = (error: BotDirectoryError, position: Position): boolean => {
  if (error instanceof ApiError) return !error.problem && (error.status >= 500 || position.patience-- > 0);
  // With a cause, the error is about reading the response, not about what it contains.
  return error instanceof DecodeError && error.cause === undefined && position.patience-- > 0;
};

/** Yields the events of one connection, which is closed however the loop over them ends. */
async function* receive(attempt: StreamAttempt, position: Position): AsyncGenerator<DirectoryEvent | UnknownEvent> {
  const { onGap } = attempt;
  let body: Opened = {};
  const readBody = (response: Response): string => {
    // Not read now, but closed in any case: it would keep its connection open, and the process alive.
    body = Object(response.body) as Opened;
    return '';
  };
  try {
    const { response } = await exchange({ ...attempt, readBody });
    const reader = readerOf(attempt, response);
    body = reader;
    position.openedAt = performance.now();
    // An event stream came back, so the address is right.
    position.patience = Infinity;
    const decoder = new TextDecoder();
    const parse = createEventParser();
    for (;;) {
      const { value } = await within(attempt, 'idleTimeoutMs', () => reader.read());
      if (value === undefined) return;
      for (const message of parse(decoder.decode(value, { stream: true }))) {
        if (message.id) position.input.after = message.id;
        if (message.retry) position.retryMs = Number(message.retry);
        if (message.event === 'gap') {
          onGap?.();
          continue;
        }
        const event = eventIn(attempt, response, message);
        if (attempt.signal.aborted) throw abortedError(attempt);
        if (event !== undefined && isNew(event.id, position.seen)) yield event;
      }
    }
  } finally {
    body.cancel?.().catch(() => {});
    body.destroy?.();
  }
}

/** A body or its reader; a `fetch` from a library may return a Node stream. */
interface Opened {
  cancel?(): Promise<void>;
  destroy?(): void;
}

const readerOf = (attempt: Attempt, response: Response): ReadableStreamDefaultReader<Uint8Array> => {
  const isStream = /^text\/event-stream/i.test(String(response.headers.get('content-type')));
  let cause: unknown;
  try {
    if (isStream) return (response.body as ReadableStream<Uint8Array>).getReader();
  } catch (error) {
    // A hook is already reading the body, or `fetch` comes from a library and returns a Node stream, or none.
    cause = error;
  }
  throw new DecodeError(attempt, { response, text: '', cause });
};

const mostSeen = 1_000;

const isNew = (id: unknown, seen: Set<unknown>): boolean => {
  if (id === undefined) return true;
  if (seen.has(id)) return false;
  const [oldest] = seen.add(id);
  if (seen.size > mostSeen) seen.delete(oldest);
  return true;
};

/** Returns the event in a message; undefined if it is not wanted, or there is no data. */
const eventIn = (
  attempt: StreamAttempt,
  response: Response,
  { data = 'null' }: Message,
): DirectoryEvent | UnknownEvent | undefined => {
  const { unknownTypes = false } = attempt;
  try {
    const event = Object(JSON.parse(data)) as UnknownEvent;
    const isWanted = unknownTypes ? typeof event.type === 'string' : eventTypes.includes(event.type);
    return isWanted ? event : undefined;
  } catch (cause) {
    throw new DecodeError(attempt, { response, text: data, cause });
  }
};

/** Whether this version knows the event's type, and therefore the type of its `data`. */
export const isKnownEvent = (event: DirectoryEvent | UnknownEvent): event is DirectoryEvent =>
  eventTypes.includes(event.type);
