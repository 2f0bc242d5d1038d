/** What a call runs with: its client's options, overridden by its own. */
import { mergeHeaders } from './headers.ts';
import { type CallOptions, type Connection, type Given, given, type Hooks } from './options.ts';
import type { Route } from './request.ts';

/** Reads a success's body in parts: `timeoutMs` limits each that it reads by `inTime`, and not the whole body. */
export type ReadBody = (
  response: Response,
  inTime: <T>(work: () => Promise<T>) => Promise<T>,
) => string | Promise<string>;

/** Options of calls that this package makes itself. */
export interface OwnCallOptions extends CallOptions {
  readBody?: ReadBody;
}

/** The settings of a call. */
export interface Settings extends Omit<Connection, 'hooks'> {
  /** What was called: a method of the client, or a function. */
  operation: string;
  readonly signal: AbortSignal;
  /** The client's hooks, then the call's. */
  readonly hooks: readonly (Hooks | undefined)[];
  readonly readBody?: ReadBody;
}

/** Makes the settings of a call, with whatever else its options have. */
export const settingsOf = <Options extends OwnCallOptions>(
  connection: Connection,
  { name }: Route,
  options: Options,
): Settings & Omit<Given<Options>, keyof Settings> => ({
  ...connection,
  ...given(options),
  // Not by `given`: of a controller, which may be passed as the options, it is not an own member.
  signal: options.signal || new AbortController().signal,
  operation: connection.method ?? name,
  headers: mergeHeaders(connection.headers, options.headers),
  fetchOptions: { ...connection.fetchOptions, ...options.fetchOptions },
  hooks: [connection.hooks, options.hooks],
});
