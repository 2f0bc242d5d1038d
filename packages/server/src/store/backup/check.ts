/** Checks every invariant of the data model in `keys.ts` in the store itself. Writes nothing. */
import type { BotId, PostId } from '../../base/ids.ts';
import { blockKinds } from '../../domain/block-list.ts';
import { botStates, missingTemplate } from '../../domain/bot.ts';
import { keys, partitions } from '../keys.ts';
import { isLoss } from '../known-size.ts';
import { readNotes, readSize } from '../size-notes.ts';
import { scanByScore, scanHash, type Scored, type Store } from '../redis.ts';
import {
  checkEvents,
  checkPartition,
  checkReports,
  derivable,
  isAbove,
  ofEach,
  partitionTypes,
  wrong,
  type Finding,
  type Types,
} from './check-queue.ts';
import { hashAt, textsOfRemoved } from './derived.ts';

/** How often a finding is looked at. What others are changing is found once, and damage each time. */
const looks = 3;

/** Finds violated invariants, while others may write. `onProgress` receives the progress. */
export const checkStore = async (
  store: Store,
  onProgress: (part: string) => void = () => undefined,
): Promise<readonly Finding[]> => {
  let found = await look(store, onProgress);
  for (let i = 1; i < looks && found.size > 0; i += 1) {
    const again = await look(store, onProgress);
    found = new Map([...found].filter(([name]) => again.has(name)));
  }
  return [...new Map([...found.values()].map((finding) => [finding.what, finding])).values()];
};

const look = async (store: Store, onProgress: (part: string) => void): Promise<ReadonlyMap<string, Finding>> => {
  const found = new Map<string, Finding>();
  for await (const finding of findAll(store, onProgress)) found.set(`${finding.what} ${finding.about}`, finding);
  return found;
};

async function* findAll(store: Store, onProgress: (part: string) => void): AsyncGenerator<Finding> {
  let isReadable = true;
  for await (const finding of checkTypes(store, [directoryTypes, ...partitions.map(partitionTypes)])) {
    isReadable = false;
    yield finding;
  }
  if (!isReadable) return;
  onProgress('bots and posts');
  yield* checkLoss(store);
  yield* checkDirectory(store);
  onProgress('events and reports');
  yield* checkEvents(store);
  yield* checkReports(store);
  for (const partition of partitions) {
    onProgress(`webhooks, part ${partition.number + 1} of ${partitions.length}`);
    yield* checkPartition(store, partition);
  }
}

/** Finds that the store is empty or was emptied, and that the operator has not accepted that. */
async function* checkLoss(store: Store): AsyncGenerator<Finding> {
  const { entries, acceptance } = await readSize(store);
  const had = await readNotes(store, acceptance);
  if (isLoss(had, entries)) yield wrong(`the directory has far fewer than the ${had} bots and posts that it had`);
  else if (entries === 0 && acceptance === '') yield wrong('the store is empty');
}

/** Finds keys of another type than expected: nothing that reads them can go on. */
async function* checkTypes(store: Store, expected: readonly Types[]): AsyncGenerator<Finding> {
  for (const [key, type] of expected.flatMap((types) => Object.entries(types))) {
    const found = await store.call((redis) => redis.type(key));
    if (found !== type && found !== 'none') yield wrong(`${key} is a ${found}, and has to be a ${type}`);
  }
}

const directoryTypes: Types = {
  [keys.versions]: 'stream',
  [keys.state]: 'hash',
  [keys.templates]: 'hash',
  [keys.slugs]: 'hash',
  [keys.suffixes]: 'hash',
  [keys.statuses]: 'hash',
  [keys.blocks]: 'hash',
  [keys.events]: 'stream',
  [keys.audit]: 'stream',
  [keys.backups]: 'stream',
  [keys.bots]: 'zset',
  [keys.withdrawn]: 'zset',
  [keys.withdrawnPosts]: 'zset',
  [keys.posts]: 'zset',
  [keys.changes]: 'zset',
  [keys.rechecks]: 'hash',
  [keys.missing]: 'zset',
  [keys.gone]: 'zset',
  [keys.eventIds]: 'zset',
  [keys.installs]: 'zset',
  [keys.reports]: 'hash',
  [keys.signingKey]: 'string',
  [keys.paused]: 'string',
  [keys.settings]: 'hash',
  [keys.notices]: 'hash',
};

/** Whether one of the lists has it. */
const isIn = async (store: Store, id: string, ...lists: string[]): Promise<boolean> =>
  (await store.call((redis) => Promise.all(lists.map((key) => redis.zscore(key, id))))).some((at) => at !== null);

/** Checks bots and posts: their hashes, their positions, and every index of them. */
async function* checkDirectory(store: Store): AsyncGenerator<Finding> {
  const counters = ['version', 'urgent', 'events', 'announced'] as const;
  const found = await store.call((redis) => redis.hmget(keys.state, ...counters));
  const [version = 0, ...others] = found.map((text) => Number(text ?? 0));
  for (const [i, value] of others.entries())
    if (!(value <= version)) yield wrong(`${counters[i + 1] ?? ''} is above the version`);
  for (const key of [keys.bots, keys.withdrawn]) {
    yield* checkPositions(store, key, version);
    yield* ofEach(scanByScore(store, key), (bot) => checkBot(store, key, bot));
  }
  for (const key of [keys.posts, keys.withdrawnPosts]) {
    yield* checkPositions(store, key, version);
    yield* ofEach(scanByScore(store, key), (post) => checkPost(store, key, post));
  }
  yield* checkIndexes(store);
  yield* ofEach(scanByScore(store, keys.changes), async ({ member, score }) => {
    return [
      ...((await isIn(store, member, keys.bots, keys.withdrawn, keys.posts, keys.withdrawnPosts))
        ? []
        : [derivable(`${member} is among the changes, but in no list`)]),
      ...((await isAbove(store, 'version', { value: score, known: version }))
        ? [wrong(`${member} has a change after the last`)]
        : []),
    ];
  });
  yield* ofEach(scanHash(store, keys.blocks), ([key, stored]) => Promise.resolve(checkBlock(key, stored)));
}

/** Finds entries at one position: if a page of a list ends with one, the next page lacks the other. */
async function* checkPositions(store: Store, key: string, version: number): AsyncGenerator<Finding> {
  const all = await store.call((redis) => redis.zcard(key));
  let seen = 0;
  let last = -Infinity;
  for await (const page of scanByScore(store, key))
    for (const { member, score } of page) {
      seen += 1;
      if (score === last) yield wrong(`${member} has the position of another`);
      if (await isAbove(store, 'version', { value: score, known: version }))
        yield wrong(`${member} has a position after the last change`);
      last = score;
    }
  // What was taken out of the list meanwhile is in neither number.
  const left = Math.min(all, await store.call((redis) => redis.zcard(key)));
  if (seen < left) yield wrong(`some of ${key} have the position of another`);
}

const checkBot = async (store: Store, key: string, { member, score }: Scored): Promise<Finding[]> => {
  const id = member as BotId;
  const bot = await hashAt(store, keys.bot(id));
  if (bot.id !== id) return [wrong(`bot ${id} is in the list, but its hash is missing`)];
  const [other, change, holder, slug] = await store.call((redis) =>
    Promise.all([
      redis.zscore(key === keys.bots ? keys.withdrawn : keys.bots, id),
      redis.zscore(keys.changes, id),
      redis.hget(keys.slugs, bot.slug ?? ''),
      redis.hget(keys.templates, bot.template_id ?? ''),
    ]),
  );
  const state = bot.state ?? 'listed';
  return [
    ...(botStates.some((one) => one === state) ? [] : [wrong(`bot ${id} is in no known state`)]),
    ...(other !== null && key === keys.bots ? [wrong(`bot ${id} is both listed and withdrawn`)] : []),
    ...((state === 'listed') !== (key === keys.bots) ? [wrong(`bot ${id} is ${state}, but filed as if not`)] : []),
    ...(change === null || Number(change) < score ? [derivable(`bot ${id} is not among the changes`)] : []),
    ...(await checkMissing(store, bot)),
    ...checkRemoved(bot),
    ...(holder === null ? [derivable(`bot ${id} is not found by its slug`)] : []),
    ...(holder !== null && holder !== id ? [wrong(`bot ${id} has the slug of ${holder}`)] : []),
    ...(slug === null ? [derivable(`bot ${id} is not found by its template`)] : []),
    ...(slug !== null && slug !== bot.slug ? [wrong(`bot ${id} has the template of ${slug}`)] : []),
  ];
};

/** Checks that nothing is left of the texts of a bot or a post that was removed. */
const checkRemoved = (fields: Readonly<Record<string, string>>): Finding[] =>
  textsOfRemoved(fields).length === 0 ? [] : [derivable(`${fields.id} was removed, but its text is still there`)];

/** Checks that a missing template has a time when it is read next, in the index for its bot: listed, or withdrawn. */
const checkMissing = async (store: Store, bot: Readonly<Record<string, string>>): Promise<Finding[]> => {
  const place = missingTemplate(new Map(Object.entries(bot)));
  if (place === undefined || (await isIn(store, bot.id ?? '', keys[place]))) return [];
  return [derivable(`bot ${bot.id} is not among those whose template is ${place}`)];
};

const checkPost = async (store: Store, key: string, { member, score }: Scored): Promise<Finding[]> => {
  const id = member as PostId;
  const post = await hashAt(store, keys.post(id));
  if (post.id !== id) return [wrong(`post ${id} is in the feed, but its hash is missing`)];
  const [holder, change] = await store.call((redis) =>
    Promise.all([redis.hget(keys.statuses, post.status_id ?? ''), redis.zscore(keys.changes, id)]),
  );
  return [
    ...((post.state === undefined) === (key === keys.posts) ? [] : [wrong(`post ${id} is filed in the wrong list`)]),
    ...checkRemoved(post),
    ...(holder === null ? [derivable(`post ${id} is not found by its status`)] : []),
    ...(holder !== null && holder !== id ? [wrong(`post ${id} has the status of ${holder}`)] : []),
    ...(change === null || Number(change) < score ? [derivable(`post ${id} is not among the changes`)] : []),
  ];
};

/** Finds entries of an index that point to nothing. */
async function* checkIndexes(store: Store): AsyncGenerator<Finding> {
  yield* ofEach(scanHash(store, keys.slugs), async ([slug, id]) => {
    const bot = await hashAt(store, keys.bot(id as BotId));
    if (bot.slug !== slug) return [wrong(`slug ${slug} leads to ${id}, which has another`)];
    return (await isIn(store, id, keys.bots, keys.withdrawn))
      ? []
      : [wrong(`bot ${id} is neither listed nor withdrawn`)];
  });
  yield* ofEach(scanHash(store, keys.templates), async ([template, slug]) => {
    const id = (await store.call((redis) => redis.hget(keys.slugs, slug))) as BotId | null;
    const bot = id === null ? {} : await hashAt(store, keys.bot(id));
    const isRight = bot.template_id === template;
    return isRight ? [] : [wrong(`template ${template} leads to ${slug}, which was made from another`)];
  });
  yield* ofEach(scanHash(store, keys.statuses), async ([status, id]) => {
    const post = await hashAt(store, keys.post(id as PostId));
    const isRight = post.status_id === status && (await isIn(store, id, keys.posts, keys.withdrawnPosts));
    return isRight ? [] : [wrong(`status ${status} leads to ${id}, which has another`)];
  });
  yield* ofEach(scanHash(store, keys.suffixes), ([base, next]) =>
    Promise.resolve(/^[1-9]\d*$/.test(next) ? [] : [derivable(`the next suffix of ${base} is no number`)]),
  );
}

const checkBlock = (key: string, stored: string): Finding[] => {
  const isKnown = blockKinds.some((kind) => key.startsWith(`${kind}:`));
  try {
    const { atMs } = JSON.parse(stored) as { atMs?: unknown };
    if (isKnown && typeof atMs === 'number') return [];
  } catch {
    // It is no JSON.
  }
  return [wrong(`block ${key} cannot be read`)];
};
