/** The server from the top down. A row imports from those below it; the parts of one row know nothing of each other. */
export const serverLayers = [
  ['main.ts', 'admin.ts'],
  ['app.ts', 'admin'],
  ['http'],
  ['site', 'delivery'],
  ['config.ts', 'tracing.ts'],
  ['release.ts'],
  ['operations'],
  ['store', 'outbound'],
  ['domain'],
  ['base'],
];
