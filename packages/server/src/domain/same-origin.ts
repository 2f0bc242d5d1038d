/** Whether a form was sent from one of our own pages: what browsers say of a request, which no other site can forge. */

/** The two headers by which a browser says where a request comes from. */
export type RequestSource = { readonly secFetchSite: string | undefined; readonly origin: string | undefined };

/** `Sec-Fetch-Site` decides; where it is not sent (plain http, old browsers), `Origin` must be ours. Neither: no. */
export const isSameOrigin = ({ secFetchSite, origin }: RequestSource, baseUrl: string): boolean =>
  secFetchSite === undefined ? origin === new URL(baseUrl).origin : secFetchSite === 'same-origin';
