/**
 * Why a webhook is refused: a class and a stable code for each reason. Messages are for the receiver's own log; what
 * is answered to a sender is the code alone. `instanceof` reads a brand, so it holds across copies of this package.
 */

const brand = Symbol.for('@bot-directory/webhook-receiver.error');

/** What every refusal is an instance of. */
export class WebhookError extends Error {
  /** The code of the class; the same in every copy of this package. */
  static readonly code: string = '';
  /** The HTTP status that a receiver answers with. */
  static readonly status: number = 400;

  static override [Symbol.hasInstance](this: { code?: string }, value: unknown): boolean {
    if (!Object.hasOwn(this, 'code')) return Function.prototype[Symbol.hasInstance].call(this, value);
    const code: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, brand) : undefined;
    return code !== undefined && (!this.code || this.code === code);
  }

  /** Stable and machine-readable; also what is answered to the sender. */
  readonly code: string;
  /** The HTTP status that a receiver answers with. */
  readonly status: number;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    const { code, status } = new.target;
    this.name = new.target.name;
    this.code = code;
    this.status = status;
    Object.defineProperty(this, brand, { value: code });
  }
}

/** `webhook-id`, `webhook-timestamp` or `webhook-signature` is not there. */
export class MissingHeaderError extends WebhookError {
  static override readonly code = 'missing_header';
}

/** A header came more than once, or holds what its format forbids. */
export class InvalidHeaderError extends WebhookError {
  static override readonly code = 'invalid_header';
}

/** `webhook-timestamp` is not a whole number of seconds. */
export class InvalidTimestampError extends WebhookError {
  static override readonly code = 'invalid_timestamp';
}

/** Signed longer ago than the tolerance: a replay, or this machine's clock is ahead. */
export class TimestampTooOldError extends WebhookError {
  static override readonly code = 'timestamp_too_old';
  static override readonly status = 401;
}

/** Signed further in the future than the tolerance: this machine's clock is behind, or somebody stores up. */
export class TimestampTooNewError extends WebhookError {
  static override readonly code = 'timestamp_too_new';
  static override readonly status = 401;
}

/** No signature was made over these bytes by any of the keys. */
export class SignatureError extends WebhookError {
  static override readonly code = 'invalid_signature';
  static override readonly status = 401;
}

/** The body was parsed before it came here, so its bytes are gone. A fault of the receiver, not of the sender. */
export class BodyParsedError extends WebhookError {
  static override readonly code = 'body_already_parsed';
  static override readonly status = 500;
}

/** The body is longer than `maxBytes`. */
export class BodyTooLargeError extends WebhookError {
  static override readonly code = 'body_too_large';
  static override readonly status = 413;
}

/** The body is rightly signed, and is not UTF-8. */
export class InvalidEncodingError extends WebhookError {
  static override readonly code = 'invalid_encoding';
}

/** The body is rightly signed, and is not JSON. */
export class InvalidJsonError extends WebhookError {
  static override readonly code = 'invalid_json';
}

/** The body is rightly signed JSON, and is not an event. */
export class InvalidEnvelopeError extends WebhookError {
  static override readonly code = 'invalid_envelope';
}

/** `webhook-id` or `X-Service-Event` says something else than the body. */
export class HeaderMismatchError extends WebhookError {
  static override readonly code = 'header_mismatch';
}

/** The service's keys could not be fetched and none are cached. */
export class KeysUnavailableError extends WebhookError {
  static override readonly code = 'keys_unavailable';
  static override readonly status = 503;
}

/** A key in the configuration is not one. Thrown at start. */
export class InvalidKeyError extends WebhookError {
  static override readonly code = 'invalid_key';
  static override readonly status = 500;
}

/** Not a POST. */
export class MethodError extends WebhookError {
  static override readonly code = 'method_not_allowed';
  static override readonly status = 405;
}

/** The body is not said to be JSON. */
export class MediaTypeError extends WebhookError {
  static override readonly code = 'unsupported_media_type';
  static override readonly status = 415;
}

/** The body broke off while it was read. */
export class UnreadableBodyError extends WebhookError {
  static override readonly code = 'unreadable_body';
}

/** The store of handled events failed, or was not done in time. `cause` is its error. */
export class StoreUnavailableError extends WebhookError {
  static override readonly code = 'store_unavailable';
  static override readonly status = 503;
}

/** The handler, or `enqueue`, threw. `cause` is what it threw. */
export class HandlerFailedError extends WebhookError {
  static override readonly code = 'handler_failed';
  static override readonly status = 500;
}

/** The handler, or `enqueue`, was not done in time. */
export class HandlerTimeoutError extends WebhookError {
  static override readonly code = 'handler_timeout';
  static override readonly status = 500;
}

/** A fault of the receiver itself, such as a runtime without ed25519. `cause` is its error. */
export class InternalError extends WebhookError {
  static override readonly code = 'internal_error';
  static override readonly status = 500;
}
