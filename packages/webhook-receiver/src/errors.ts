/**
 * Why a webhook is refused: a stable code for each reason, and a class for each error that `parse` can throw. Messages
 * are for the receiver's log; the sender gets only the code. `instanceof` checks a brand, so it works across copies of
 * this package.
 */

const brand = Symbol.for('webhook-receiver');

/** The base class of every error of this package. */
export class WebhookError extends Error {
  /** Node prints it in front of the message. A bundler would change what is not written down. */
  static override readonly name = 'WebhookError';
  /** The class's code; the base class has none. */
  declare static readonly code?: string;

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (super[Symbol.hasInstance](value)) return true;
    const { [brand]: code } = Object(value) as { [brand]?: string };
    if (this === WebhookError) return code !== undefined;
    // Only the classes below are recognised by their code. A user's subclass is an ordinary class.
    return Object.hasOwn(Object.getPrototypeOf(this) as object, 'code') && this.code === code;
  }

  /** Stable and machine-readable. It is also sent to the sender. */
  declare readonly code: string;
  /** The HTTP status of the receiver's response. */
  declare readonly status: number;

  constructor(code: string, status: number, cause?: unknown, message = code) {
    super(message, { cause });
    this.name = 'WebhookError';
    this.code = code;
    this.status = status;
  }

  /** The code, where every copy of this package looks for it. */
  get [brand](): string {
    return this.code;
  }
}

/** The class of errors with one code. */
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

/** `webhook-id`, `webhook-timestamp` or `webhook-signature` is missing. */
export class MissingHeaderError extends /* @__PURE__ */ define('missing_header') {}

/** A header appears more than once, or its value is malformed. */
export class InvalidHeaderError extends /* @__PURE__ */ define('invalid_header') {}

/** `webhook-timestamp` is not a whole number of seconds. */
export class InvalidTimestampError extends /* @__PURE__ */ define('invalid_timestamp') {}

/** Signed longer ago than the tolerance allows: a replay, or this machine's clock is fast. */
export class TimestampTooOldError extends /* @__PURE__ */ define('timestamp_too_old', 401) {}

/**
 * Signed further in the future than the tolerance allows: this machine's clock is slow, or a request was signed in
 * advance.
 */
export class TimestampTooNewError extends /* @__PURE__ */ define('timestamp_too_new', 401) {}

/** None of the keys made a signature for these bytes. */
export class SignatureError extends /* @__PURE__ */ define('invalid_signature', 401) {}

/**
 * The body was parsed before it got here, so the signed bytes are gone. The receiver is misconfigured; the sender is
 * not at fault.
 */
export class BodyParsedError extends /* @__PURE__ */ define('body_already_parsed', 500) {}

/** The body is longer than `maxBytes`. */
export class BodyTooLargeError extends /* @__PURE__ */ define('body_too_large', 413) {}

/** The signature is valid, but the body is not UTF-8. */
export class InvalidEncodingError extends /* @__PURE__ */ define('invalid_encoding') {}

/** The signature is valid, but the body is not JSON. */
export class InvalidJsonError extends /* @__PURE__ */ define('invalid_json') {}

/** The signature is valid and the body is JSON, but it is not an event. */
export class InvalidEnvelopeError extends /* @__PURE__ */ define('invalid_envelope') {}

/** `webhook-id` or `X-Service-Event` does not match the body. */
export class HeaderMismatchError extends /* @__PURE__ */ define('header_mismatch') {}

/**
 * An option cannot be used, such as `keys` or `baseUrl`. The message says why and never contains a key. Thrown at
 * start.
 */
export class ConfigurationError extends /* @__PURE__ */ define('invalid_configuration', 500) {}

/** The service's keys could not be fetched, and none were fetched before. `cause` says why. */
export class KeysUnavailableError extends /* @__PURE__ */ define('keys_unavailable', 503) {}
