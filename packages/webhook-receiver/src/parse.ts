/** A verified body as an event. Nothing is parsed before the signature holds. */
import { HeaderMismatchError, InvalidEncodingError, InvalidJsonError } from './errors.ts';
import { type Event, readEvent } from './event.ts';
import { type HeaderSource, readHeader } from './headers.ts';
import { type RawBody, verify, type VerifyOptions } from './verify.ts';

/** Verifies a webhook and reads its event. Rejects with a `WebhookError`; an event of an unknown type is none. */
export const parse = async (body: RawBody, headers: HeaderSource, options: VerifyOptions): Promise<Event> => {
  const { id, bytes } = await verify(body, headers, options);
  const event = readEvent(json(bytes));
  if (event.id !== id) throw new HeaderMismatchError('webhook-id is not the id in the body');
  // Unsigned, so a hint for routers and no more: the body's own type counts.
  const type = readHeader(headers, 'x-service-event');
  if (type !== undefined && type !== event.type) throw new HeaderMismatchError('X-Service-Event is not the type in the body');
  return event;
};

const json = (bytes: Uint8Array): unknown => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InvalidEncodingError('the body is not UTF-8', { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidJsonError('the body is not JSON', { cause });
  }
};
