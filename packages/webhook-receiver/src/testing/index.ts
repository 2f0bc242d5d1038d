/** For the tests of a receiver: keys to throw away, signed requests, and a local sender. Not for production. */
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
