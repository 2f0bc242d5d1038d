/**
 * A call: it retries until an attempt succeeds, a retry is pointless or the deadline is near. Also the promise that the
 * caller gets.
 */
import {
  type AbortedError,
  addressCodes,
  type ApiError,
  type ApiErrorAt,
  BotDirectoryError,
  DecodeError,
  type ErrorCode,
  type NetworkError,
  type TimeoutError,
} from './errors.ts';
import { type Attempt, exchange, fail, pause } from './exchange.ts';
import type { CallOptions, Connection } from './options.ts';
import { prepare, type Route } from './request.ts';
import { isTransient, retryDelayMs } from './retry.ts';
import { type Settings, settingsOf } from './settings.ts';

/** An operation's data with the response it came in. */
export interface Answer<Data> {
  /** What the operation returns. */
  data: Data;
  /** The response. Its body has been read; use `text`. */
  response: Response;
  /** The response's body as it was received. */
  text: string;
}

/** The share of the deadline that must be left to start another attempt. */
const leastShare = 0.1;

type Statuses<Problems> = keyof Problems & number;

/** An error status that the API documents for the operation, with the problem it has at that status. */
export type Refusal<Problems> = {
  [Status in Statuses<Problems>]: {
    /** Always false. */
    ok: false;
    /** The HTTP status. It determines the type of `error.problem`. */
    status: Status;
    /** The error's code, such as `bot_exists`. */
    code: ErrorCode;
    /** The error's body, as the API documents it for this status. */
    problem: Problems[Status];
    /** The server's error response. */
    readonly error: ApiErrorAt<Status, Problems[Status]>;
  };
}[Statuses<Problems>];

/** A failure without a documented response: there was none, or it did not come from the API. */
export interface Breakdown {
  /** Always false. */
  ok: false;
  /** Always null: no response of the operation. */
  status: null;
  /** The error's code, such as `network` or `timeout`; `http` for a proxy's error page. */
  code: ErrorCode;
  /** What went wrong. An `ApiError` here came from a proxy, or from an address that is not the API's. */
  readonly error: ApiError | NetworkError | TimeoutError | AbortedError | DecodeError;
}

/**
 * What `.safe()` resolves to: check `ok`, then `status`. A later API may add statuses: keep a `default`. A clone, as
 * `structuredClone`, `postMessage` and server actions make it, lacks `response` and `error`.
 */
export type Outcome<Data, Problems> = Success<Data> | Refusal<Problems> | Breakdown;

/** What the operation returns, and the response it came in. */
export interface Success<Data> extends Answer<Data> {
  /** Always true. */
  ok: true;
  /** The only status of success. */
  status: 200;
}

/**
 * A call in progress. Await it for the data. It rejects with a `BotDirectoryError`, or with exactly what `fetch` threw
 * if that is not a failure of the network.
 */
export interface Call<Data, Problems> extends Promise<Data> {
  /**
   * Resolves on success and on failure. It rejects only with a `TypeError` for a mistake in the call itself, with what
   * a hook throws, or with what `fetch` throws if that is not a failure of the network.
   */
  safe(): Promise<Outcome<Data, Problems>>;
  /** Resolves to the data and the response: its status, headers and raw body. */
  withResponse(): Promise<Answer<Data>>;
}

/** Makes the function that calls a route. */
export const operation =
  <Data, Problems>(route: Route) =>
  (connection: Connection, input: object = {}, options: CallOptions = {}): Call<Data, Problems> => {
    const answer = started<Data>(connection, route, input, options);
    const data = answer.then((settled) => settled.data);
    // A caller who uses another form sees the error there, so this promise's rejection counts as handled.
    const instead = <T>(form: Promise<T>): Promise<T> => {
      data.catch(() => {});
      return form;
    };
    return Object.assign(data, {
      withResponse: () => instead(answer),
      safe: () => instead(answer.then(successOf, outcomeOf<Problems>)),
    });
  };

/** Adds a member that a clone leaves out, because it cannot hold it. */
export const withHidden = <Shown extends object, Name extends PropertyKey, Value>(
  shown: Shown,
  name: Name,
  value: Value,
) => Object.defineProperty(shown, name, { value }) as Shown & Record<Name, Value>;

const successOf = <Data>({ data, text, response }: Answer<Data>): Success<Data> =>
  withHidden({ ok: true as const, status: 200 as const, data, text }, 'response', response);

/**
 * Makes the outcome of a failed call. A status counts only with the API's own body: a proxy's 503 is not the
 * operation's response.
 */
const outcomeOf = <Problems>(error: unknown): Refusal<Problems> | Breakdown => {
  if (!(error instanceof BotDirectoryError)) throw error;
  const { code, status, problem }: Partial<ApiError> = error;
  const isDocumented = problem ? !addressCodes.test(problem.code) : status === 304;
  // The contract says which body belongs to which status; it is not checked here.
  const failed = { ok: false, code };
  const outcome = isDocumented ? { ...failed, status, problem } : { ...failed, status: null };
  return withHidden(outcome, 'error', error) as Refusal<Problems> | Breakdown;
};

/** Begins a call. Anything that is wrong with it rejects. */
const started = async <Data>(
  connection: Connection,
  route: Route,
  input: object,
  options: CallOptions,
): Promise<Answer<Data>> => {
  const settings = settingsOf(connection, route, options);
  return attemptAll<Data>(settings, route, input).catch((error: unknown) => fail(settings, error));
};

const attemptAll = async <Data>(settings: Settings, route: Route, input: object): Promise<Answer<Data>> => {
  const request = prepare(settings, route, input);
  const startedAtMs = performance.now();
  const { retries, deadlineMs } = settings;
  const before: BotDirectoryError[] = [];
  for (let attempts = 1; ; attempts++) {
    const attempt = { ...settings, attempts, request, startedAtMs };
    try {
      return await decoded<Data>(attempt, route);
    } catch (error) {
      if (!(error instanceof BotDirectoryError)) throw error;
      const success = route.earlier?.(error, before, input, startedAtMs);
      if (success !== undefined) return success as Answer<Data>;
      before.push(error);
      const { retryAfterMs }: Partial<ApiError> = error;
      const delayMs = retryDelayMs(attempts, Math.random(), retryAfterMs);
      // An attempt that the deadline would cut short is pointless: the caller gets the error, and its `retryAfterMs`,
      // at once.
      const leftMs = startedAtMs + deadlineMs - performance.now() - delayMs;
      if (attempts > retries || !isTransient(error) || leftMs < deadlineMs * leastShare) throw error;
      await pause(attempt, error, delayMs);
    }
  }
};

/**
 * Parses the body. Its content, which the contract describes, is not checked, so that a new field or value does not
 * fail here.
 */
const decoded = async <Data>(attempt: Attempt, route: Route): Promise<Answer<Data>> => {
  const { response, text } = await exchange(attempt);
  const { any = false, list = false } = route;
  try {
    const data = (any && text === '' ? undefined : JSON.parse(text)) as Data;
    if (any || (Object(data) === data && Array.isArray(data) === list)) return { data, response, text };
    throw new TypeError('wrong type');
  } catch (cause) {
    throw new DecodeError(attempt, { response, text, cause });
  }
};
