/** Turns a verified body into an event. Nothing is parsed before the signature is verified. */
import { HeaderMismatchError, InvalidEncodingError, InvalidJsonError } from './errors.ts';
import { type ChosenType, defaultEvents, type DefaultType, type Event, readEvent } from './event.ts';
import { type HeaderSource, readHeader } from './headers.ts';
import { type RawBody, verify, type VerifyOptions } from './verify.ts';

/** Which events are known. */
export interface EventOptions<Chosen extends ChosenType> {
  /**
   * The `events` of the registration. Events of other types are unknown.
   * @default ['bot.created']
   */
  events?: readonly Chosen[] | undefined;
}

/** Verifies a webhook and returns its event. Rejects with a `WebhookError`; an unknown type is not an error. */
export const parse = async <Chosen extends ChosenType = DefaultType>(
  body: RawBody,
  headers: HeaderSource,
  options: VerifyOptions & EventOptions<Chosen>,
): Promise<Event<Chosen>> => {
  const { id, bytes } = await verify(body, headers, options);
  // If `events` is omitted, `Chosen` is the default type.
  const event = readEvent(readJson(bytes), options.events ?? (defaultEvents as readonly Chosen[]));
  if (event.id !== id) throw new HeaderMismatchError('webhook-id');
  // Not signed, so it is only a hint for routers: the body's type decides.
  const name = 'x-service-event';
  if ((readHeader(headers, name) ?? event.type) !== event.type) throw new HeaderMismatchError(name);
  return event;
};

/** Parses a verified body as JSON. Throws `InvalidEncodingError` or `InvalidJsonError`. */
export const readJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new (cause instanceof SyntaxError ? InvalidJsonError : InvalidEncodingError)(undefined, cause);
  }
};
