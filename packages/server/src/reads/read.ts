/**
 * The table of reads. A row says what a URL of its path reads: a query in one spelling, the state that it depends on,
 * and how its content is made.
 */
import type { Request } from 'express';
import Negotiator from 'negotiator';
import { BoundedCache } from '../base/bounded-cache.ts';
import type { Collection, Directory } from '../directory/directory.ts';
import { pathOf } from '../http/target.ts';
import { validatorsOf, type Body, type Description, type Validators, type Vary } from './representation.ts';

/** A row of the table: what the URLs of a path read in some context. */
export type ReadRow<Context, Named = Params> = {
  readonly path: string;
  /** `undefined`: there is nothing at this URL. Throws the Failure to show. */
  read(context: Context, url: Url<Named>): Read | Redirect | undefined;
  /** Whether clients may have its entries as lines. */
  readonly hasLines?: boolean;
};

type Params = Readonly<Record<string, string>>;

/** A URL in its canonical form: what stands where the row's path varies, and whether the client prefers lines. */
export type Url<Named> = {
  readonly path: string;
  readonly params: Named;
  readonly search: string;
  readonly isLines: boolean;
};

/** Where the content of a URL has its one address. */
export type Redirect = { readonly redirectTo: string };

/** Something to read. Equal queries of a row with equal states have equal contents. */
export type Read = {
  /** Canonical: equal for every spelling. */
  readonly query: unknown;
  /** `undefined`: it depends on settings only, so that it is served even if the directory cannot be. May throw. */
  readonly state: (() => State) | undefined;
  /** Brings that state up to date, if it is not one of the directory. Rejects with the failure to show. */
  readonly prepare?: ((req: Request) => Promise<void>) | undefined;
  /** Brings up to date what that state has besides the directory's. Must not reject. */
  readonly also?: (() => Promise<void>) | undefined;
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

/** What all reads depend on. */
export type ReadContext<Context> = {
  readonly context: Context;
  readonly directory: Directory;
  /** Changes with everything that contents depend on besides the directory: the release and the settings. */
  readonly form: string;
};

/** A read with its key among all reads. */
export class KnownRead implements Read {
  readonly query: unknown;
  readonly state: Read['state'];
  readonly prepare: Read['prepare'];
  readonly also: Read['also'];
  readonly make: Read['make'];
  /** The request headers that choose between the representations of its URL. */
  readonly vary: Vary;
  readonly #directory: Directory;
  readonly #form: string;
  #last = { version: '' as State['version'], epoch: '', beganAtMs: 0 };
  #validators: Validators;

  constructor(
    readonly key: string,
    { query, state, prepare, also, make }: Read,
    { directory, form, vary }: Pick<ReadContext<never>, 'directory' | 'form'> & { readonly vary: Vary },
  ) {
    [this.query, this.state, this.make] = [query, state, make];
    [this.prepare, this.also] = [prepare, also];
    [this.#directory, this.#form, this.vary] = [directory, form, vary];
    this.#validators = validatorsOf(`${form}.`, 0);
  }

  /** The validators of the current state: the same object until it changes. Throws what `state` throws. */
  validators(): Validators {
    if (this.state === undefined) return this.#validators;
    const { version, changedAtMs } = this.state();
    const { epoch, beganAtMs } = this.prepare === undefined ? this.#directory : noEpoch;
    const last = this.#last;
    if (last.version === version && last.epoch === epoch && last.beganAtMs === beganAtMs) return this.#validators;
    this.#last = { version, epoch, beganAtMs };
    // An earlier epoch may have served something newer that this one does not have.
    const datedAtMs = changedAtMs === undefined ? 0 : Math.max(changedAtMs, beganAtMs);
    return (this.#validators = validatorsOf(`${this.#form}.${epoch}.${version}`, datedAtMs));
  }
}

const maxRemembered = 2_000;
const maxRememberedLength = 512;
/** The version of a state that is not the directory's has what identifies it. */
const noEpoch = { epoch: '', beganAtMs: 0 };
/** Distinguishes lines from a JSON array, in keys and in tags: they are other bytes of the same state. */
const linesForm = 'nd';

/** What is read at the URL of a request to a row's path. */
export type FindRead<Context> = (
  row: ReadRow<Context>,
  request: Pick<Request, 'url' | 'params' | 'headers'>,
) => KnownRead | Redirect | undefined;

/** Finds what a URL reads. The reads of short URLs are cached; refused or long ones are worked out each time. */
export const readFinder = <Context>({ context, directory, form }: ReadContext<Context>): FindRead<Context> => {
  const remembered = new BoundedCache<KnownRead>({ max: maxRemembered });
  return (row, { url, params, headers }) => {
    const { hasLines = false } = row;
    const isLines = hasLines && prefersLines(headers.accept);
    const name = isLines ? `${url} ${linesForm}` : url;
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const path = pathOf(url);
    const search = url.slice(path.length + 1);
    // No path of a row has a wildcard, whose parameter would be an array.
    const read = row.read(context, { path, params: params as Params, search, isLines });
    if (read === undefined || 'redirectTo' in read) return read;
    const key = `${row.path} ${JSON.stringify(read.query)}`;
    const made = new KnownRead(isLines ? `${key} ${linesForm}` : key, read, {
      directory,
      form: isLines ? form + linesForm : form,
      vary: hasLines ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
    });
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
