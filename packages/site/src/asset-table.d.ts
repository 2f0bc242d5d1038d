/** The module that scripts/asset-table.ts makes at the build. */
export const table: readonly {
  readonly name: import('./assets.ts').AssetName;
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly brotli?: string;
}[];
export const release: string;
export const guide: import('./views.ts').Guide;
