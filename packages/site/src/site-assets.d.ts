/** The module that scripts/asset-table.ts makes at the build. */
declare module 'site:assets' {
  export const table: readonly {
    readonly name: 'site.css' | 'site.js' | 'icon.svg' | 'favicon.ico' | 'og.png';
    readonly path: string;
    readonly type: string;
    readonly body: string;
    readonly brotli?: string;
  }[];
  export const release: string;
  export const guide: import('./views.ts').Guide;
}
