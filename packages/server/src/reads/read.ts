/**
 * The table of reads. A row says what a URL of its path reads: a query in one spelling, the state that it depends on,
 * and how its content is made.
 */
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { BoundedCache } from '../base/bounded-cache.ts';
import type { Collection, Directory } from '../directory/directory.ts';
import type { Paths } from '../http/paths.ts';
import { stampOf, type Body, type Description, type Stamp, type Vary } from './representation.ts';

/** A row of the table: what the URLs of a path read in some context. */
export type ReadRow<Context> = {
  readonly path: string;
  /** `undefined`: nothing, so Express gets the request. Throws the Failure to show. */
  readonly read: (context: Context, url: Url) => Read | undefined;
  /** Whether clients may have its entries as lines. */
  readonly hasLines?: boolean;
};

/** What stands where the row's path varies, the search part, and whether the client prefers lines. */
export type Url = {
  readonly params: Readonly<Record<string, string>>;
  readonly search: string;
  readonly isLines: boolean;
};

/** Something to read. Equal queries of a row with equal states have equal contents. */
export type Read = {
  /** Canonical: equal for every spelling. */
  readonly query: unknown;
  /** `undefined`: it depends on settings only, so that it is served even if the directory cannot be. May throw. */
  readonly state: (() => State) | undefined;
  /** Brings that state up to date, if it is not one of the directory. Rejects with the failure to show. */
  readonly prepare?: ((req: IncomingMessage) => Promise<void>) | undefined;
  /** Brings up to date what that state has besides the directory's. Must not reject. */
  readonly also?: (() => Promise<void>) | undefined;
  /** Whether it is a search by words. */
  readonly isSearch?: boolean;
  /** May throw the Failure to show. */
  readonly make: () => Content | Promise<Content>;
};

/**
 * A state of the directory, or of a part of it: within an epoch, equal versions are equal states. It has no date if
 * `changedAtMs` is undefined.
 */
export type State = { readonly version: number | string; readonly changedAtMs: number | undefined };

/** What is read: a body and its metadata. A collection is all of its entries, newest first. */
export type Content = Description & { readonly body: string | Uint8Array | Body | Collection };

/** A row with one content, whatever the search part is. Without a `state`, it depends on settings only. */
export const rowOf = <Context>(
  path: string,
  make: (context: Context) => Content | Promise<Content>,
  state?: (context: Context) => State,
): ReadRow<Context> => ({
  path,
  read: (context) => ({ query: undefined, state: state && (() => state(context)), make: () => make(context) }),
});

/** The table, and what its reads depend on. */
export type ReadTable<Context> = {
  readonly rows: readonly ReadRow<Context>[];
  readonly context: Context;
  readonly paths: Paths;
  readonly directory: Directory;
  /** Changes with everything that contents depend on besides the directory: the release and the settings. */
  readonly form: string;
};

/** A read with its key among all reads. */
export class KnownRead implements Read {
  readonly query: unknown;
  readonly state: Read['state'];
  readonly isSearch: boolean;
  readonly prepare: Read['prepare'];
  readonly also: Read['also'];
  readonly make: Read['make'];
  /** The request headers that choose between the representations of its URL. */
  readonly vary: Vary;
  readonly #directory: Directory;
  readonly #form: string;
  #last = { version: '' as State['version'], epoch: '', beganAtMs: 0 };
  #stamp: Stamp;

  constructor(
    readonly key: string,
    { query, state, isSearch = false, prepare, also, make }: Read,
    { directory, form, vary }: Pick<ReadTable<never>, 'directory' | 'form'> & { readonly vary: Vary },
  ) {
    [this.query, this.state, this.isSearch, this.make] = [query, state, isSearch, make];
    [this.prepare, this.also] = [prepare, also];
    [this.#directory, this.#form, this.vary] = [directory, form, vary];
    this.#stamp = stampOf(`${form}.`, 0);
  }

  /** The stamp of the current state: the same one until it changes. Throws what `state` throws. */
  stamp(): Stamp {
    if (this.state === undefined) return this.#stamp;
    const { version, changedAtMs } = this.state();
    const { epoch, beganAtMs } = this.prepare === undefined ? this.#directory : noEpoch;
    const last = this.#last;
    if (last.version === version && last.epoch === epoch && last.beganAtMs === beganAtMs) return this.#stamp;
    this.#last = { version, epoch, beganAtMs };
    // An earlier epoch may have served something newer that this one does not have.
    const datedAtMs = changedAtMs === undefined ? 0 : Math.max(changedAtMs, beganAtMs);
    return (this.#stamp = stampOf(`${this.#form}.${epoch}.${version}`, datedAtMs));
  }
}

const [maxRemembered, maxRememberedLength] = [2_000, 512];
/** The version of a state that is not the directory's has what identifies it. */
const noEpoch = { epoch: '', beganAtMs: 0 };
/** Distinguishes lines from a JSON array, in keys and in tags: they are other bytes of the same state. */
const linesForm = 'nd';

/** Finds what a URL reads. The reads of short URLs are cached; refused or long ones are worked out each time. */
export const readFinder = <Context>(
  table: ReadTable<Context>,
): ((url: string, accept?: string) => KnownRead | undefined) => {
  const rows = new Map(table.rows.map((row) => [row.path, row]));
  const remembered = new BoundedCache<KnownRead>({ max: maxRemembered });
  return (url, accept) => {
    const wantsLines = prefersLines(accept);
    const name = wantsLines ? `${url} ${linesForm}` : url;
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const mark = url.indexOf('?');
    const [path, search] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
    const match = table.paths.find(path);
    const row = match && rows.get(match.path);
    const { hasLines = false } = row ?? {};
    const isLines = hasLines && wantsLines;
    const read = row?.read(table.context, { params: match?.params ?? {}, search, isLines });
    if (row === undefined || read === undefined) return undefined;
    const [key, form] = [`${row.path} ${JSON.stringify(read.query)}`, isLines ? table.form + linesForm : table.form];
    const vary = hasLines ? 'Accept, Accept-Encoding' : 'Accept-Encoding';
    const { directory } = table;
    const made = new KnownRead(isLines ? `${key} ${linesForm}` : key, read, { directory, form, vary });
    if (url.length <= maxRememberedLength) remembered.set(name, made);
    return made;
  };
};

/** The media type of lines: NDJSON instead of a JSON array. */
export const linesType = 'application/x-ndjson';

/** Whether an `Accept` header names lines, and prefers them to a JSON array. */
const prefersLines = (accept: string | undefined): boolean =>
  accept !== undefined &&
  accept.toLowerCase().includes(linesType) &&
  new Negotiator({ headers: { accept } }).mediaType(['application/json', linesType]) === linesType;
