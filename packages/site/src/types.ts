/**
 * The directory's pages, feeds and files, as importers' compilers read them: not by Preact's types, which bring the
 * DOM's into each program.
 */
import type { Frame, View } from './views.ts';

export { accentedTexts, checkAccent } from './accent.ts';
export { assets, guide, release, type Asset, type AssetName } from './assets.ts';
export { atom } from './feeds/atom.ts';
export { botFeed, postFeed, type Feed } from './feeds/feed.ts';
export { botPicture, type PictureOf } from './feeds/picture.ts';
export { jsonFeed } from './feeds/json-feed.ts';
export { apiCatalog, badge, llms, mcpServer, openSearch, securityTxt, webManifest } from './feeds/machines.ts';
export { robots, sitemap, sitemapIndex, sitemapSize, sitePaths, type SitemapEntry } from './feeds/sitemap.ts';
export { kept } from './pages/kept.ts';
export { asHttps } from './parts/links.ts';
export { integrationName } from './parts/integration-names.ts';
export { categorySlug, to, type FeedPath, type ShowcaseFeedPath } from './parts/href.ts';
export * from './views.ts';

/** Renders the page of a view: the same bytes for everybody. It is in page.tsx. */
export declare const page: (frame: Frame, view: View) => string;
