/**
 * The server from the top down. A row imports only from the rows below it; the parts of one row do not import each
 * other.
 */
export const serverLayers = [
  ['main.ts', 'admin.ts'],
  ['app', 'admin'],
  ['api', 'site', 'delivery'],
  ['reads'],
  ['http'],
  ['config.ts'],
  ['release.ts', 'setting-kinds.ts', 'setting-names.ts'],
  ['operations'],
  ['directory'],
  ['store', 'outbound'],
  ['redis'],
  ['domain'],
  ['base'],
];

/** The files of a part that other parts import. Every file of a part that is missing here is open to them. */
export const serverEntries = { directory: ['directory.ts', 'listing.ts'] };
