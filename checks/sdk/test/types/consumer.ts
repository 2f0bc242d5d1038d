/**
 * What a consumer writes. The suite compiles it against the packed tarball, with the compilers and libraries that it
 * names.
 */
import {
  ApiError,
  type Bot,
  connect,
  createClient,
  type Hooks,
  listBots,
  type Outcome,
  type SubmitBotProblems,
  type PublishedBot,
} from '@bot-directory/sdk';
import { cachingFetch, type ResponseStore } from '@bot-directory/sdk/cache';
import { type BotChange, mirror, type SnapshotStore } from '@bot-directory/sdk/mirror';

const hooks: Hooks = { onRequest: ({ headers }) => headers.set('x-a', 'b') };
const directory = createClient({ baseUrl: new URL('https://directory.example.com'), fetch, hooks, logger: console });

export const names = async (signal: AbortSignal): Promise<string[]> => {
  const found: string[] = [];
  for await (const bot of directory.bots.iterate({ sort: 'installs', category: ['SEO'], limit: undefined }, { signal }))
    found.push(bot.name);
  for await (const page of directory.feed.iterate().byPage()) found.push(page.cursor ?? '');
  for await (const event of directory.events.stream({}, { signal })) found.push(event.data.slug);
  return found;
};

export const submit = async (link: string): Promise<string> => {
  const outcome: Outcome<PublishedBot, SubmitBotProblems> = await directory.bots.submit({ link }).safe();
  if (outcome.ok) return outcome.data.slug;
  switch (outcome.status) {
    case 409: {
      const status: 409 = outcome.error.status;
      return `${status} ${outcome.error.problem.slug}`;
    }
    case 400:
      return (outcome.error.problem.errors ?? []).map(({ pointer }) => pointer).join();
    case null: {
      const status: number | undefined = outcome.error instanceof ApiError ? outcome.error.status : undefined;
      return `${outcome.error.name} ${status}`;
    }
    default:
      return outcome.error.problem.code;
  }
};

export const total = async (): Promise<string | null> => {
  const { data, response } = await listBots(connect({ baseUrl: 'https://directory.example.com' })).withResponse();
  const bots: Bot[] = data;
  return bots.length > 0 ? response.headers.get('x-total-count') : null;
};

export const state = async (url: string): Promise<string> => {
  const { state: found } = await directory.webhooks.status({ url });
  return found === 'stopped' ? 'stopped' : found;
};

export const copied = async (store: SnapshotStore, responses: ResponseStore): Promise<Bot | undefined> => {
  const cached = directory.withOptions({ fetch: cachingFetch({ store: responses }) });
  const copy = mirror(cached, { store, refreshMs: 1_000, onError: console.error });
  const off: () => void = copy.onChange(({ added }: BotChange) => console.log(added.length));
  await copy.ready;
  off();
  const found = copy.get('weekly-seo-report') ?? copy.filter((bot) => bot.categories.includes('SEO'))[0];
  await copy.close();
  return found;
};

// @ts-expect-error -- a submission needs its link
void directory.bots.submit({});
// @ts-expect-error -- the service fetches the name
void directory.bots.submit({ link: 'l', name: 'n' });
// @ts-expect-error -- no such order
void directory.bots.list({ sort: 'oldest' });
