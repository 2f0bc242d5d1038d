/** Why a delivery failed, by category: never an address or a body. */

/** THE TABLE: category → what happened, as a sentence about the endpoint. Clients must expect new categories. */
export const failureSentences = {
  dns: 'Its name does not resolve.',
  connect: 'It accepted no connection, or closed it without a response.',
  tls: 'The TLS handshake failed, or its certificate is not valid for its name.',
  timeout: 'It did not respond in time.',
  response: 'Its response is not HTTP/1.1.',
  status: 'It did not respond with a 2xx status.',
  forbidden_address: 'Its address is private or reserved.',
} as const;

/** Why a delivery failed. */
export type DeliveryFailure = keyof typeof failureSentences;

/** Every category. */
export const deliveryFailures = Object.keys(failureSentences) as [DeliveryFailure, ...DeliveryFailure[]];
