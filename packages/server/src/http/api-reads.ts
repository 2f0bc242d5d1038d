/** The reads of the API: lists, bots and counts, as representations of this process's copy of the directory. */
import { createHash } from 'node:crypto';
import { isUnpaged, isWhole, type Listing, type Paging } from '../domain/listing.ts';
import { botMissing } from '../domain/withdrawal.ts';
import type { Directory } from '../store/directory.ts';
import { arrayLength, arrayPiece, type Selected } from '../store/selected.ts';
import { readQuery, type Query } from './read-query.ts';
import type { Read, ReadRoute } from './reads.ts';
import { bodyOf, PlainRepresentation, type Body, type Representation } from './representation.ts';
import { stampOf, type Stamp } from './stamp.ts';
import { WholeList } from './whole-list.ts';

/** What the reads need. `onError` is called with errors in the background. */
export type ApiReadsDeps = {
  readonly directory: Directory;
  readonly baseUrl: string;
  readonly categories: readonly string[];
  /** Changes with everything else that the JSON depends on. */
  readonly release: string;
  readonly onError: (error: unknown) => void;
};

/** Makes the route of all reads. */
export const createApiReads = (deps: ApiReadsDeps): ReadRoute => {
  const stamps = createStamps(deps);
  const make = maker(deps);
  return (path, search) => {
    const query = readQuery(path, search, deps.categories);
    return query === undefined ? undefined : readOf(query, stamps, make);
  };
};

type Make = (query: Query, stamp: Stamp) => Representation | Promise<Representation>;

const readOf = (query: Query, stamps: ReturnType<typeof createStamps>, make: Make): Read => ({
  key: query.key,
  isSearch: query.of === 'bots' && query.listing.words.length > 0,
  stamp: query.of === 'bot' ? () => stamps.bot(query.slug) : query.of === 'posts' ? stamps.posts : stamps.bots,
  make: (stamp) => make(query, stamp),
});

/** Something with a version: a collection, or one bot. */
type Versioned = { readonly version: number; readonly changedAtMs: number };

/** Makes the stamps of the copy's current state. */
const createStamps = ({ directory, baseUrl, categories, release }: ApiReadsDeps) => {
  // Servers with other releases or settings never give the same tag to different bytes.
  const form = createHash('sha256')
    .update(JSON.stringify([release, baseUrl, categories]))
    .digest('base64url')
    .slice(0, 6);
  const stamp = ({ version, changedAtMs }: Versioned): Stamp =>
    // An earlier lineage may have served something newer that this one does not have.
    stampOf(`${form}.${directory.lineage}.${version}`, Math.max(changedAtMs, directory.beganAtMs));
  /** The same stamp until the collection changes. */
  const lasting = (of: () => Versioned) => {
    let [lineage, version, beganAtMs] = ['', -1, 0];
    let last = stamp({ version: 0, changedAtMs: 0 });
    return (): Stamp => {
      const now = of();
      if (lineage === directory.lineage && version === now.version && beganAtMs === directory.beganAtMs) return last;
      [lineage, version, beganAtMs] = [directory.lineage, now.version, directory.beganAtMs];
      return (last = stamp(now));
    };
  };
  return {
    bots: lasting(() => directory.bots),
    posts: lasting(() => directory.posts),
    bot: (slug: string): Stamp => stamp(found(directory, slug)),
  };
};

const found = (directory: Directory, slug: string): Versioned & { readonly ordinal: number } => {
  const ordinal = directory.bots.ordinalOfSlug(slug);
  if (ordinal === undefined) throw botMissing(directory.removal(slug));
  return { ordinal, ...directory.bots.stateOf(ordinal) };
};

const maker = ({ directory, baseUrl, categories, onError }: ApiReadsDeps): Make => {
  const plain = (stamp: Stamp, json: unknown): Representation =>
    new PlainRepresentation(stamp, bodyOf(Buffer.from(JSON.stringify(json))), {}, onError);
  const page = (stamp: Stamp, selected: Selected, address: (cursor: string) => string): Representation =>
    new PlainRepresentation(
      stamp,
      bodyOfSelected(selected),
      {
        total: selected.total,
        link: selected.next === undefined ? undefined : `<${address(selected.next)}>; rel="next"`,
      },
      onError,
    );
  return async (query, stamp) => {
    const { bots, posts } = directory;
    switch (query.of) {
      case 'bots':
        if (isWhole(query.listing)) return new WholeList(stamp, bots, onError);
        return page(stamp, await bots.select(query.listing), nextAddress(`${baseUrl}/api/bots`, query.listing));
      case 'posts':
        if (isUnpaged(query.paging)) return new WholeList(stamp, posts, onError);
        return page(stamp, posts.page(query.paging), nextAddress(`${baseUrl}/api/feed`, query.paging));
      case 'bot':
        return new PlainRepresentation(
          stamp,
          bodyOf(bots.copyOfJson(found(directory, query.slug).ordinal)),
          {},
          onError,
        );
      case 'categories':
        return plain(stamp, bots.index.countCategories(categories));
      case 'integrations':
        return plain(stamp, bots.index.countIntegrations());
    }
  };
};

const entriesOfPiece = 256;
const largeBytes = 1_048_576;

/** The JSON array of the selected entries. A large one is made piece by piece, each time it is sent. */
const bodyOfSelected = (selected: Selected): Body => {
  const { ordinals } = selected;
  const length = arrayLength(selected);
  if (length <= largeBytes) return bodyOf(arrayPiece(selected, 0, ordinals.length));
  return {
    length,
    heldBytes: ordinals.byteLength,
    pieces: function* () {
      for (let i = 0; i < ordinals.length; i += entriesOfPiece) yield arrayPiece(selected, i, i + entriesOfPiece);
    },
  };
};

/**
 * The URL of the next page. It is made of what was understood, not of what was sent: all who ask for the same page get
 * the same response.
 */
const nextAddress =
  (path: string, asked: Listing | Paging) =>
  (cursor: string): string => {
    const next = new URLSearchParams();
    const add = (name: string, value: string | number | undefined): void => {
      if (value !== undefined && value !== '') next.append(name, String(value));
    };
    if ('words' in asked) {
      add('author', asked.author);
      for (const category of asked.categories) add('category', category);
      for (const integration of asked.integrations) add('integration', integration);
    }
    add('limit', asked.limit);
    if ('words' in asked) {
      add('q', asked.words.join(' '));
      if (asked.sort !== 'newest') add('sort', asked.sort);
    }
    next.set('cursor', cursor);
    return `${path}?${next.toString()}`;
  };
