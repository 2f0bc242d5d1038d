/** The headers that isolate a page: no foreign markup, nothing loaded from elsewhere, no framing. */

/** Where a page is served. */
type Place = { readonly baseUrl: string };

/** Headers of a page. `formTarget`: an origin, besides ours, to which a form on the page may lead. */
export const pageHeaders = ({ baseUrl }: Place, formTarget?: string): readonly string[] => [
  'Content-Security-Policy',
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  ...fileHeaders({ baseUrl }),
  ...['Cross-Origin-Opener-Policy', 'same-origin'],
  ...['Permissions-Policy', permissions],
];

/** Headers of a feed, a picture or another file. `isShared`: other sites may embed it. */
export const fileHeaders = ({ baseUrl }: Place, { isShared = false } = {}): readonly string[] => [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ...['Cross-Origin-Resource-Policy', isShared ? 'cross-origin' : 'same-origin'],
  ...(baseUrl.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
];

const refused = ['camera', 'geolocation', 'microphone', 'payment', 'usb', 'browsing-topics'];
const permissions = [...refused.map((name) => `${name}=()`), 'clipboard-write=(self)'].join(', ');
