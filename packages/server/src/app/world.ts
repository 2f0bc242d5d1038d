/** What tests and benchmarks replace of the outside world. */
import type { DeliveryLimits } from '../delivery/dispatcher.ts';
import type { SendWebhook } from '../outbound/send-webhook.ts';
import type { openStore } from '../redis/open-store.ts';

export type World = {
  /** A store whose scripts have another text of `clock.lua`, or that waits longer on a busy machine. */
  readonly openStore?: typeof openStore;
  /** The authority of their endpoints. Node reads the system's when a process starts. */
  readonly ca?: string;
  /** Sends nothing, to measure the bookkeeping alone. */
  readonly send?: SendWebhook;
  /** How often deliveries and rechecks look for work: hardly ever, where a notification has to do. */
  readonly pollMs?: number;
  /** Limits of concurrent deliveries. With lower ones, a few endpoints suffice to reach them. */
  readonly deliveryLimits?: DeliveryLimits;
};
