/** Which bots a command is about: those that are named, or all that match the options. */
import type { BotId } from '../base/ids.ts';
import { searchText, searchWords } from '../domain/search.ts';
import { botStates, type BotState } from '../domain/withdrawal.ts';
import { keys } from '../store/keys.ts';
import type { Store } from '../store/redis.ts';
import { scanByScore } from '../store/scan.ts';

/** What a bot has to match. Times are in milliseconds, by the store's clock. */
export type Selection = {
  readonly slugs: readonly string[];
  readonly states: readonly BotState[];
  readonly authors: readonly string[];
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  readonly words: string | undefined;
};

/** A bot as the operator sees it. */
export type OperatorBot = {
  readonly id: BotId;
  readonly slug: string;
  readonly state: BotState;
  readonly reason: string;
  readonly name: string;
  readonly author: string;
  readonly createdAtMs: number;
  readonly installs: number;
  /** All its stored fields. */
  readonly fields: ReadonlyMap<string, string>;
};

/** Whether it has any condition besides states: a selection without one means every bot. */
export const isNarrow = ({ slugs, authors, sinceMs, untilMs, words }: Selection): boolean =>
  slugs.length > 0 || authors.length > 0 || sinceMs !== undefined || untilMs !== undefined || words !== undefined;

/** The bots that match, oldest first: the listed ones, then the others. */
export async function* selectBots(store: Store, selection: Selection): AsyncGenerator<OperatorBot> {
  const fits = matcher(selection);
  if (selection.slugs.length > 0) {
    for (const slug of new Set(selection.slugs)) {
      const id = (await store.call((redis) => redis.hget(keys.slugs, slug))) as BotId | null;
      const bot = id === null ? undefined : await readBot(store, id);
      if (bot !== undefined && fits(bot)) yield bot;
    }
    return;
  }
  const lists = [
    ...(selection.states.includes('listed') ? [keys.bots] : []),
    ...(selection.states.some((state) => state !== 'listed') ? [keys.withdrawn] : []),
  ];
  for (const key of lists) {
    for await (const page of scanByScore(store, key)) {
      const bots = await Promise.all(page.map(({ member }) => readBot(store, member as BotId)));
      for (const bot of bots) if (bot !== undefined && fits(bot)) yield bot;
    }
  }
}

const matcher = ({ states, authors, sinceMs, untilMs, words }: Selection): ((bot: OperatorBot) => boolean) => {
  const handles = new Set(authors.map((author) => author.toLowerCase()));
  const wanted = words === undefined ? [] : searchWords(words);
  return (bot) => {
    if (!states.includes(bot.state)) return false;
    if (handles.size > 0 && !handles.has(bot.author.toLowerCase())) return false;
    if (sinceMs !== undefined && bot.createdAtMs < sinceMs) return false;
    if (untilMs !== undefined && bot.createdAtMs > untilMs) return false;
    const text = searchText([bot.name, bot.fields.get('description') ?? '']);
    return wanted.every((word) => text.includes(word));
  };
};

/** A bot by its id. */
const readBot = async (store: Store, id: BotId): Promise<OperatorBot | undefined> => {
  const fields = new Map(Object.entries(await store.call((redis) => redis.hgetall(keys.bot(id)))));
  const text = (name: string): string => fields.get(name) ?? '';
  if (text('id') !== id) return undefined;
  return {
    id,
    slug: text('slug'),
    state: botStates.find((state) => state === fields.get('state')) ?? 'listed',
    reason: text('reason'),
    name: text('name'),
    author: text('author'),
    createdAtMs: Number(text('created_at')),
    installs: Number(text('install_count')),
    fields,
  };
};
