/** Answers of the directory, made when first asked and dropped when it changes. */
import { createHash } from 'node:crypto';
import { Failure } from '../base/failure.ts';
import { countCategories, countIntegrations } from '../domain/counts.ts';
import { isUnpaged, isWhole, selectBots, selectPage, type Page } from '../domain/listing.ts';
import { jsonArray, type Collection, type Stored } from '../store/collection.ts';
import type { Directory } from '../store/directory.ts';
import type { Question } from './questions.ts';
import { Representation } from './representation.ts';

/** Where answers come from, and what they are made with. */
export type AnswerSource = {
  readonly directory: Directory;
  readonly baseUrl: string;
  readonly categories: readonly string[];
  /** Changes with whatever JSON is made of. */
  readonly release: string;
};

/** The answer to a question, now. Throws `bot_not_found`. */
export type Answers = (question: Question) => Representation;

const maxAnswers = 1_000;
const maxBytes = 64 * 1_048_576;

/** Answers of one directory. A post drops no answer about bots. */
export const createAnswers = (source: AnswerSource): Answers => {
  const { directory } = source;
  const make = maker(source);
  const memories = { bots: createMemory(), posts: createMemory() };
  return (question) => {
    const about = question.of === 'posts' ? 'posts' : 'bots';
    return memories[about](`${directory.lineage} ${directory[about].version}`, question.key, () => make(question));
  };
};

/** Keeps what was made in one state of the directory. */
const createMemory = () => {
  const made = new Map<string, Representation>();
  let [madeIn, bytes] = ['', 0];
  const drop = (): void => {
    for (const answer of made.values()) answer.retire();
    made.clear();
    bytes = 0;
  };
  return (state: string, key: string, make: () => Representation): Representation => {
    if (madeIn !== state) drop();
    madeIn = state;
    const known = made.get(key);
    if (known !== undefined) return known;
    const answer = make();
    if (made.size >= maxAnswers || bytes > maxBytes) drop();
    made.set(key, answer);
    bytes += answer.bytes;
    return answer;
  };
};

/** Something with a version: a collection, or one bot. */
type Versioned = { readonly version: number; readonly changedAtMs: number };

const maker = ({ directory, baseUrl, categories, release }: AnswerSource): Answers => {
  const { bots, posts } = directory;
  // Two servers of other releases or with other settings never give the same tag to other bytes.
  const settings = createHash('sha256')
    .update(JSON.stringify([release, baseUrl, categories]))
    .digest('base64url')
    .slice(0, 6);
  const described = ({ version, changedAtMs }: Versioned) => ({
    tag: `${settings}.${directory.lineage}.${version}`,
    // Another life of the store may have shown something later, which this one does not have.
    changedAtMs: Math.max(changedAtMs, directory.beganAtMs),
  });
  const json = (value: unknown): Representation =>
    new Representation(Buffer.from(JSON.stringify(value)), described(bots));

  const whole = <T extends Stored>(collection: Collection<T>): Representation => {
    const answer = new Representation(collection.bytes(), {
      ...described(collection),
      total: collection.entries.length,
    });
    // Nearly every reader of a whole list takes one of these: begin before the first one asks.
    answer.compress('br');
    answer.compress('gzip');
    return answer;
  };

  const paged = <T extends Stored>(
    collection: Collection<T>,
    { entries, total, next }: Page<T>,
    address: (cursor: string) => string,
  ): Representation =>
    new Representation(jsonArray(entries), {
      ...described(collection),
      total,
      ...(next === undefined ? {} : { link: `<${address(next)}>; rel="next"` }),
    });

  return (question) => {
    switch (question.of) {
      case 'bots': {
        const { listing, params } = question;
        if (isWhole(listing)) return whole(bots);
        return paged(
          bots,
          selectBots(bots.entries, () => directory.byInstalls(), listing),
          nextAddress(`${baseUrl}/api/bots`, params),
        );
      }
      case 'posts': {
        const { paging, params } = question;
        if (isUnpaged(paging)) return whole(posts);
        const position = ({ seq }: Stored) => ({ seq, installs: 0 });
        return paged(
          posts,
          selectPage(posts.entries, { paging, sort: 'newest', position }),
          nextAddress(`${baseUrl}/api/feed`, params),
        );
      }
      case 'bot': {
        const entry = directory.bySlug(question.slug);
        if (entry === undefined) throw new Failure('bot_not_found', 'No bot in the directory has this slug.');
        return new Representation(entry.json, described(entry));
      }
      case 'categories':
        return json(countCategories(bots.entries, categories));
      case 'integrations':
        return json(countIntegrations(bots.entries));
    }
  };
};

const known = new Set(['limit', 'category', 'integration', 'author', 'q', 'sort']);

/** The address of the next page: the known parameters as they came, so that spelling variants stay one question. */
const nextAddress =
  (path: string, params: URLSearchParams) =>
  (cursor: string): string => {
    const next = new URLSearchParams([...params].filter(([name]) => known.has(name)).sort());
    next.set('cursor', cursor);
    return `${path}?${next.toString()}`;
  };
