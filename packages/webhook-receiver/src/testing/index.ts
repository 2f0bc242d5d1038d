/** Helpers to test a receiver: throw-away keys, signed requests and a local sender. Not for production. */
export {
  type Answered,
  deliver,
  type DeliveryOptions,
  type Envelope,
  sampleEvent,
  send,
  signedDelivery,
  type SignedDelivery,
  signedRequest,
} from './request.ts';
export { generateKeyPair, generateSecret, type KeyPair, sign, type Signable } from './sign.ts';
