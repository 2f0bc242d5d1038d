/**
 * What a webhook counts towards. Many people share the host of a chat or an automation service, so no client, no
 * account there and no single address may use up all that the host may have.
 */
import type { WebhookTarget } from './webhook-url.ts';

/** Limits: on a host, an address without its query, the beginning of a path, and a client that registers. */
export const webhookShares = ['host', 'address', 'path', 'client'] as const;
export type WebhookShare = (typeof webhookShares)[number];

/** A limit that a webhook counts towards, by the name that its count is stored under. */
type Counted = { readonly share: WebhookShare; readonly name: string };

/** The most webhooks of one address, which differ only in their queries. */
const perAddress = 10;
/** A share of a host's limit is never below this, so that hosts with small limits are not divided further. */
const leastShare = 100;

/** The most webhooks of each, if a host may have so many. */
export const mostOf = (share: WebhookShare, perHost: number): number =>
  ({
    host: perHost,
    address: perAddress,
    path: Math.max(leastShare, Math.floor(perHost / 2)),
    client: Math.max(leastShare, Math.floor(perHost / 10)),
  })[share];

/**
 * Returns what a webhook counts towards. `client`: the mark of the client that registered it, if it is known. The
 * beginning of a path is all but its last segment, if that has at least two: a shorter one is the service's own.
 */
export const sharesOf = ({ url, host }: WebhookTarget, client: string | undefined): readonly Counted[] => {
  const { pathname, search } = new URL(url);
  const beginning = pathname.split('/').filter(Boolean).slice(0, -1);
  return [
    { share: 'host', name: host },
    ...(search === '' ? [] : [{ share: 'address', name: `${host}${pathname}?` } as const]),
    ...(beginning.length < 2 ? [] : [{ share: 'path', name: `${host}/${beginning.join('/')}/*` } as const]),
    ...(client === undefined ? [] : [{ share: 'client', name: clientName(host, client) } as const]),
  ];
};

/** As `remove-webhook.lua` writes it. */
const clientName = (host: string, client: string): string => `${host} ${client}`;
