/** Why a delivery failed, by category: never an address or a body. */

/** Every category. Clients must expect new ones. */
export const deliveryFailures = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'response',
  'status',
  'forbidden_address',
] as const;

/** Why a delivery failed. */
export type DeliveryFailure = (typeof deliveryFailures)[number];
