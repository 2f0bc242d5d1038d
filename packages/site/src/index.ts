/** The directory's pages, feeds and files. */
export { accentedTexts, checkAccent } from './accent.ts';
export { assets, release, type Asset, type AssetName } from './assets.ts';
export { atom } from './feeds/atom.ts';
export type { FeedView } from './feeds/feed.ts';
export { jsonFeed } from './feeds/json-feed.ts';
export { badge, llms, openSearch } from './feeds/machines.ts';
export { robots, sitemap, sitemapIndex, sitemapSize, sitePaths, type SitemapEntry } from './feeds/sitemap.ts';
export { page } from './page.tsx';
export * from './views.ts';
