/** Whether a form was sent from one of our own pages, by the headers that browsers set and other sites cannot forge. */

/** The two headers in which a browser says where a request comes from. */
export type RequestSource = { readonly secFetchSite: string | undefined; readonly origin: string | undefined };

/**
 * `Sec-Fetch-Site` decides. Without it (plain http, old browsers), `Origin` must be ours. Without both, the answer is
 * no.
 */
export const isSameOrigin = ({ secFetchSite, origin }: RequestSource, baseUrl: string): boolean =>
  secFetchSite === undefined ? origin === new URL(baseUrl).origin : secFetchSite === 'same-origin';
