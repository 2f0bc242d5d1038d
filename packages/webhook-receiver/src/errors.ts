/**
 * Why a webhook is refused: a stable code for each reason, and a class for each that `parse` can find. Messages are for
 * the receiver's own log; what is answered to a sender is the code alone. `instanceof` reads a brand, so it holds across
 * copies of this package.
 */

const brand = Symbol.for('webhook-receiver');

/** What every refusal is an instance of. */
export class WebhookError extends Error {
  /** The class's own code; the base class has none. */
  declare static readonly code?: string;

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (super[Symbol.hasInstance](value)) return true;
    const { [brand]: code } = Object(value) as { [brand]?: string };
    if (this === WebhookError) return code !== undefined;
    // Only the classes below are known by their code. A subclass of them, which a user makes, is an ordinary class.
    return Object.hasOwn(Object.getPrototypeOf(this) as object, 'code') && this.code === code;
  }

  /** Stable and machine-readable; also what is answered to the sender. */
  declare readonly code: string;
  /** The HTTP status that a receiver answers with. */
  declare readonly status: number;

  constructor(code: string, status: number, cause?: unknown, message = code) {
    super(message, { cause });
    this.name = 'WebhookError';
    this.code = code;
    this.status = status;
  }

  /** The code again, where every copy of this package looks for it. */
  get [brand](): string {
    return this.code;
  }
}

/** The class of one code. */
export interface Refusal<Code extends string> {
  readonly code: Code;
  new (message?: string, cause?: unknown): WebhookError & { readonly code: Code };
}

const define = <Code extends string>(code: Code, status = 400): Refusal<Code> =>
  class extends WebhookError {
    static override readonly code = code;
    declare readonly code: Code;

    constructor(message?: string, cause?: unknown) {
      super(code, status, cause, message);
    }
  };

/** `webhook-id`, `webhook-timestamp` or `webhook-signature` is not there. */
export class MissingHeaderError extends /* @__PURE__ */ define('missing_header') {}

/** A header came more than once, or holds what its format forbids. */
export class InvalidHeaderError extends /* @__PURE__ */ define('invalid_header') {}

/** `webhook-timestamp` is not a whole number of seconds. */
export class InvalidTimestampError extends /* @__PURE__ */ define('invalid_timestamp') {}

/** Signed longer ago than the tolerance: a replay, or this machine's clock is ahead. */
export class TimestampTooOldError extends /* @__PURE__ */ define('timestamp_too_old', 401) {}

/** Signed further in the future than the tolerance: this machine's clock is behind, or somebody is stockpiling requests. */
export class TimestampTooNewError extends /* @__PURE__ */ define('timestamp_too_new', 401) {}

/** No signature was made over these bytes by any of the keys. */
export class SignatureError extends /* @__PURE__ */ define('invalid_signature', 401) {}

/** The body was parsed before it came here, so its bytes are gone. A fault of the receiver, not of the sender. */
export class BodyParsedError extends /* @__PURE__ */ define('body_already_parsed', 500) {}

/** The body is longer than `maxBytes`. */
export class BodyTooLargeError extends /* @__PURE__ */ define('body_too_large', 413) {}

/** The signature is good, but the body is not UTF-8. */
export class InvalidEncodingError extends /* @__PURE__ */ define('invalid_encoding') {}

/** The signature is good, but the body is not JSON. */
export class InvalidJsonError extends /* @__PURE__ */ define('invalid_json') {}

/** The signature is good and the body is JSON, but not an event. */
export class InvalidEnvelopeError extends /* @__PURE__ */ define('invalid_envelope') {}

/** `webhook-id` or `X-Service-Event` says something other than the body. */
export class HeaderMismatchError extends /* @__PURE__ */ define('header_mismatch') {}

/** `keys` or `baseUrl` can't be used; the message says why, and repeats no key. Thrown at start. */
export class ConfigurationError extends /* @__PURE__ */ define('invalid_configuration', 500) {}

/** The service's keys could not be fetched, and no earlier ones are at hand. `cause` is why. */
export class KeysUnavailableError extends /* @__PURE__ */ define('keys_unavailable', 503) {}
