/** The clients that reconnect by themselves, as the HTML standard says: Chromium's EventSource, and two of npm. */
import { EventSource } from 'eventsource';
import { createEventSource } from 'eventsource-client';
import { withChromium } from '@bot-directory/testing/chromium';
import { findProgram } from '../../../scripts/programs.mjs';

export { EventSource };

/** How often a client has connected, and the slugs of the bots that were announced to it. */
export type Seen = { readonly opened: number; readonly slugs: readonly string[] };

type Client = { readonly read: () => Promise<Seen>; readonly close: () => void };

const slugIn = (data: string): string => (JSON.parse(data) as { data: { slug: string } }).data.slug;

const openNode = (url: string): Client => {
  const seen: { opened: number; slugs: string[] } = { opened: 0, slugs: [] };
  const source = new EventSource(url);
  source.addEventListener('open', () => (seen.opened += 1));
  source.addEventListener('bot.created', ({ data }: { data: string }) => void seen.slugs.push(slugIn(data)));
  return { read: () => Promise.resolve(seen), close: () => source.close() };
};

const openClient = (url: string): Client => {
  const seen: { opened: number; slugs: string[] } = { opened: 0, slugs: [] };
  const source = createEventSource({
    url,
    onConnect: () => void (seen.opened += 1),
    onMessage: ({ event, data }) => void (event === 'bot.created' && seen.slugs.push(slugIn(data))),
  });
  return { read: () => Promise.resolve(seen), close: () => source.close() };
};

/** As text, because code compiled for Node must not reach the page. */
const inPage = (url: string): string => `
  window.seen = { opened: 0, slugs: [] };
  const source = new EventSource(${JSON.stringify(url)});
  source.addEventListener('open', () => (seen.opened += 1));
  source.addEventListener('bot.created', ({ data }) => seen.slugs.push(JSON.parse(data).data.slug));`;

/** Opens one of each, for as long as `use` runs; without Chromium, only npm's. `read` returns what each has seen. */
export const withEventSources = async <Result>(
  url: string,
  use: (read: () => Promise<Seen[]>) => Promise<Result>,
): Promise<Result> => {
  const clients = [openNode(url), openClient(url)];
  const readAll = (): Promise<Seen[]> => Promise.all(clients.map(({ read }) => read()));
  try {
    if (findProgram('chromium') === undefined) return await use(readAll);
    return await withChromium('', async (browser, origin) => {
      const page = await browser.newPage();
      await page.goto(origin);
      await page.evaluate(inPage(url));
      return use(async () => [...(await readAll()), await page.evaluate('window.seen')]);
    });
  } finally {
    for (const { close } of clients) close();
  }
};
