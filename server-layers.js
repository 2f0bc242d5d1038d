/**
 * The server from the top down. A row imports only from the rows below it; the parts of one row do not import each
 * other.
 */
export const serverLayers = [
  ['main.ts', 'admin.ts'],
  ['app.ts', 'admin'],
  ['http'],
  ['site', 'delivery'],
  ['config.ts', 'tracing.ts', 'kept-shapes.ts'],
  ['release.ts', 'setting-kinds.ts'],
  ['operations'],
  ['store', 'outbound'],
  ['domain'],
  ['base'],
];
