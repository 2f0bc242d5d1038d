/**
 * Services that take nothing more from this process for now, as Discord says when all that comes from one address
 * together is too much. Their webhooks wait without an attempt. Only hosts that are one service's count: on any other,
 * one tenant's endpoint could hold up those of all others (decision 0133).
 */
import type { WebhookFormat } from '@bot-directory/contract';
import { expectedFormat } from '../domain/format.ts';
import type { WebhookUrl } from '../domain/webhook-url.ts';
import type { Outcome } from '../outbound/send-webhook.ts';

export class ServicePauses {
  readonly #steadyMs: () => number;
  /** By the format that names the service. */
  readonly #untilMs = new Map<WebhookFormat, number>();

  /** `steadyMs`: a monotonic clock. */
  constructor(steadyMs: () => number) {
    this.#steadyMs = steadyMs;
  }

  /** Records it if an attempt shows that the service at its URL takes nothing. */
  note(url: WebhookUrl, outcome: Outcome): void {
    const forMs = outcome.kind === 'failed' ? outcome.servicePauseMs : undefined;
    const service = forMs === undefined ? undefined : expectedFormat(url);
    if (service !== undefined) this.#untilMs.set(service, this.#steadyMs() + (forMs ?? 0));
  }

  /** For how long a webhook waits: up to twice the rest of the pause, so that not all return together. */
  waitMs(url: WebhookUrl): number {
    // Most of the time there is none, and no URL need be parsed.
    const service = this.#untilMs.size === 0 ? undefined : expectedFormat(url);
    const leftMs = service === undefined ? 0 : (this.#untilMs.get(service) ?? 0) - this.#steadyMs();
    if (service !== undefined && leftMs <= 0) this.#untilMs.delete(service);
    return leftMs <= 0 ? 0 : Math.ceil(leftMs * (1 + Math.random()));
  }
}
