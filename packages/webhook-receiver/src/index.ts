/**
 * The core: verify, parse and receive. Frameworks, stores, other senders and test helpers have their own entry points.
 */
export { type Attempt, type Begun, type Dedupe, memoryDedupe } from './dedupe.ts';
export * from './errors.ts';
export type { ChosenType, DefaultType, Event, EventType, KnownEvent, UnknownEvent } from './event.ts';
export type { HeaderSource } from './headers.ts';
export type { Key, Keys, KeySource } from './keys.ts';
export { type EventOptions, parse } from './parse.ts';
export type { Answer, Context, Delivery, IncomingWebhook, Receiver } from './receive.ts';
export { createReceiver, type Handlers, type ReceiverOptions } from './receiver.ts';
export { remoteKeys, type RemoteKeysOptions } from './remote-keys.ts';
export type * from './types.gen.ts';
export { type RawBody, type Verified, verify, type VerifyOptions } from './verify.ts';
