/** The headers that keep a page to itself: no markup that is not ours, nothing from elsewhere, in nobody's frame. */

/** Where a page is served. */
type Place = { readonly baseUrl: string };

/** `formTarget`: an origin, besides ours, that a form on the page may lead to. */
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

/** Those of a feed, a picture or another file. `isShared`: pages of others may show it. */
export const fileHeaders = ({ baseUrl }: Place, { isShared = false } = {}): readonly string[] => [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ...['Cross-Origin-Resource-Policy', isShared ? 'cross-origin' : 'same-origin'],
  ...(baseUrl.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
];

const refused = ['camera', 'geolocation', 'microphone', 'payment', 'usb', 'browsing-topics'];
const permissions = [...refused.map((name) => `${name}=()`), 'clipboard-write=(self)'].join(', ');
