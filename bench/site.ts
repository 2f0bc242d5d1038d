/** Reads of pages (`list/measure.ts`), and what it takes to render a page, to paint it, and to search while typing. */
import { siteCases } from './list/cases.ts';
import { homeOf } from './list/home.ts';
import { measureReads } from './list/measure.ts';
import { measureInChromium } from './site/chromium.ts';
import { measureRendering } from './site/rendering.ts';

await measureReads('site', siteCases, async ({ baseUrl }) => {
  measureRendering(await homeOf(baseUrl));
  await measureInChromium(baseUrl);
});
