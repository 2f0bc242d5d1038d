/** A verified body as an event. Nothing is parsed before the signature holds. */
import { HeaderMismatchError, InvalidEncodingError, InvalidJsonError } from './errors.ts';
import { type Event, readEvent } from './event.ts';
import { type HeaderSource, readHeader } from './headers.ts';
import { type RawBody, verify, type VerifyOptions } from './verify.ts';

/** Verifies a webhook and reads its event. Rejects with a `WebhookError`; an unknown type is not an error. */
export const parse = async (body: RawBody, headers: HeaderSource, options: VerifyOptions): Promise<Event> => {
  const { id, bytes } = await verify(body, headers, options);
  const event = readEvent(readJson(bytes));
  if (event.id !== id) throw new HeaderMismatchError('webhook-id');
  // Unsigned, so a hint for routers and no more: the body's own type counts.
  const name = 'x-service-event';
  if ((readHeader(headers, name) ?? event.type) !== event.type) throw new HeaderMismatchError(name);
  return event;
};

/** The JSON of a verified body. Throws `InvalidEncodingError` or `InvalidJsonError`. */
export const readJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new (cause instanceof SyntaxError ? InvalidJsonError : InvalidEncodingError)(undefined, cause);
  }
};
