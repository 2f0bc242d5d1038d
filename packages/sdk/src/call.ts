/** A call: attempts until one succeeds, none can, or the deadline is near; and the promise that is handed to the caller. */
import {
  type AbortedError,
  ApiError,
  type ApiErrorAt,
  BotDirectoryError,
  DecodeError,
  type NetworkError,
  type TimeoutError,
} from './errors.ts';
import { type Attempt, contextOf, exchange, fail, isUnchanged, pause } from './exchange.ts';
import type { CallOptions, Connection } from './options.ts';
import { prepare, type Route } from './request.ts';
import { isTransient, mayHaveSucceeded, retryDelayMs } from './retry.ts';

/** An operation's data with the answer it came in. */
export interface Answer<Data> {
  /** What the operation returns. */
  data: Data;
  /** Its body has been read; status and headers are there to look at. */
  response: Response;
  /** The body as it came. */
  text: string;
}

/** Of the deadline that must be left for another attempt. */
const leastShare = 0.1;

type Statuses<Problems> = keyof Problems & number;

/** An error status that the API documents for the operation, with the body it has at that status. */
export type Refusal<Problems> = {
  [Status in Statuses<Problems>]: {
    /** No success. */
    ok: false;
    /** Tells what `error.problem` is. */
    status: Status;
    /** The server's answer. */
    error: ApiErrorAt<Status, Problems[Status]>;
  };
}[Statuses<Problems>];

/** No documented answer came: no answer at all, or one that is not the API's own. */
export interface Breakdown {
  /** No success. */
  ok: false;
  /** None that the API documents for the operation. */
  status: null;
  /** What went wrong. An `ApiError` is one that a proxy or another address has answered. */
  error: ApiError | NetworkError | TimeoutError | AbortedError | DecodeError;
}

/** What `.safe()` resolves with: look at `ok`, then at `status`. One that a later API adds shows as itself: keep a `default`. */
export type Outcome<Data, Problems> = Success<Data> | Refusal<Problems> | Breakdown;

/** What the operation returns, and the answer it came in. */
export interface Success<Data> extends Answer<Data> {
  /** Success. */
  ok: true;
  /** The one status of success. */
  status: 200;
}

/** A call under way. Await it for the data; it rejects with an error of this package. */
export interface Call<Data, Problems> extends Promise<Data> {
  /** Resolves with success and failure alike. Only a mistake in the call itself (a `TypeError`) still rejects. */
  safe(): Promise<Outcome<Data, Problems>>;
  /** Resolves with the data and the response: its status, its headers, and its body as it came. */
  withResponse(): Promise<Answer<Data>>;
}

/** Starts an operation. */
export const call = <Data, Problems>(
  connection: Connection,
  route: Route,
  input: object,
  options: CallOptions = {},
): Call<Data, Problems> => {
  const answer = attemptAll<Data>(connection, route, input, options).catch((error: unknown) =>
    fail({ connection, options }, error),
  );
  const data = answer.then((settled) => settled.data);
  // Whoever asks for the call's other forms is told there, so this one's rejection counts as handled.
  const instead = <T>(form: Promise<T>): Promise<T> => {
    data.catch(() => {});
    return form;
  };
  return Object.assign(data, {
    withResponse: () => instead(answer),
    safe: () =>
      instead(answer.then((settled) => ({ ok: true as const, status: 200 as const, ...settled }), outcomeOf<Problems>)),
  });
};

/** Problems of the address, not of the operation: a wrong `baseUrl` has met them. */
const addressCodes = /^(not_found|method_not_allowed)$/;

/** A documented status counts only with the API's own body: a proxy's 503 is no answer of the operation. */
const outcomeOf = <Problems>(error: unknown): Refusal<Problems> | Breakdown => {
  if (!isOwn(error)) throw error;
  const isDocumented = error instanceof ApiError && error.problem && !addressCodes.test(error.problem.code);
  if (!isDocumented && !isUnchanged(error)) return { ok: false, status: null, error };
  // Which body stands at which status is the contract's promise; nothing is checked against it.
  return { ok: false, status: error.status, error } as Refusal<Problems>;
};

const isOwn = (error: unknown): error is Breakdown['error'] => error instanceof BotDirectoryError;

const attemptAll = async <Data>(
  connection: Connection,
  route: Route,
  input: object,
  options: CallOptions,
): Promise<Answer<Data>> => {
  const request = prepare(connection.baseUrl, route, input);
  const startedAtMs = performance.now();
  const { timeoutMs = connection.timeoutMs, deadlineMs = connection.deadlineMs } = options;
  const limits = { timeoutMs, deadlineMs };
  const retries = options.retries ?? connection.retries;
  let inDoubt = false;
  for (let number = 1; ; number++) {
    const attempt: Attempt = { connection, options, route, request, number, limits, startedAtMs };
    try {
      return await decoded<Data>(attempt);
    } catch (error) {
      if (!(error instanceof BotDirectoryError)) throw error;
      const success = inDoubt ? earlierSuccess<Data>(route, input, error) : undefined;
      if (success !== undefined) return success;
      inDoubt ||= mayHaveSucceeded(error);
      const delayMs = retryDelayMs(number, error instanceof ApiError ? error.retryAfterMs : undefined, Math.random());
      // An attempt that the deadline would cut short is no use: the caller is told at once what the server asked for.
      const leftMs = startedAtMs + deadlineMs - performance.now() - delayMs;
      if (number > retries || !isTransient(error) || leftMs < deadlineMs * leastShare) throw error;
      await pause(attempt, error, delayMs);
    }
  }
};

const decoded = async <Data>(attempt: Attempt): Promise<Answer<Data>> => {
  const { response, text } = await exchange(attempt);
  try {
    return { data: parseData(attempt.route, text) as Data, response, text };
  } catch (cause) {
    throw new DecodeError(contextOf(attempt), { response, text, cause });
  }
};

/** What is in it is the contract's promise; a new field or value must not fail here. */
const parseData = (route: Route, text: string): unknown => {
  if (route.any === true) return text === '' ? undefined : JSON.parse(text);
  const list = route.list === true;
  const data: unknown = JSON.parse(text);
  if (typeof data === 'object' && data !== null && Array.isArray(data) === list) return data;
  throw new TypeError('wrong type');
};

/** The success that an earlier attempt had without our hearing of it, read from the conflict that it leads to. */
const earlierSuccess = <Data>(route: Route, input: object, error: BotDirectoryError): Answer<Data> | undefined => {
  const [code, ...members] = route.earlier ?? [];
  if (!(error instanceof ApiError) || error.problem === undefined || error.code !== code) return undefined;
  const known: Record<string, unknown> = { ...input, ...error.problem };
  if (members.some((member) => known[member] === undefined)) return undefined;
  return {
    data: Object.fromEntries(members.map((member) => [member, known[member]])) as Data,
    response: error.response,
    text: error.text,
  };
};
