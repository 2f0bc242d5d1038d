/**
 * Resources and their routes. A route says which resource a URL of its path has: a query in one spelling, what must be
 * fresh before it is read, and how its content is made.
 */
import type { Request } from 'express';
import Negotiator from 'negotiator';
import { BoundedCache } from '../base/bounded-cache.ts';
import type { Collection, Directory } from '../directory/directory.ts';
import { pathOf } from '../http/target.ts';
import { validatorsOf, type Body, type Description, type Validators, type Vary } from './representation.ts';

/** The resources at the URLs of a path, in some context. */
export type ResourceRoute<Context, Named = Params> = {
  readonly path: string;
  /** `undefined`: there is nothing at this URL. Throws the Failure to show. */
  find(context: Context, url: Url<Named>): Resource | Redirect | undefined;
  /** Whether clients may have its entries as lines. */
  readonly hasLines?: boolean;
};

type Params = Readonly<Record<string, string>>;

/** A URL in its canonical form: what stands where the route's path varies, and whether the client prefers lines. */
export type Url<Named> = {
  readonly path: string;
  readonly params: Named;
  readonly search: string;
  readonly isLines: boolean;
};

/** Where the content of a URL has its one address. */
export type Redirect = { readonly redirectTo: string };

/** Something to read. Equal queries of a route with equal states have equal contents. */
export type Resource = {
  /** Canonical: equal for every spelling. */
  readonly query: unknown;
  /** `undefined`: it depends on settings only, so that it is served even if the directory cannot be. */
  readonly freshness: Freshness | undefined;
  /** May throw the Failure to show. */
  readonly make: () => Content | Promise<Content>;
};

/** What must be fresh before a resource is read, and the state of that, which may throw the Failure to show. */
export type Freshness =
  /** The directory. `also` renews what the state has besides that, and must not reject. */
  | { readonly of: 'directory'; readonly state: () => State; readonly also?: () => Promise<void> }
  /** What the resource alone depends on, and renews. Rejects with the failure to show. */
  | { readonly of: 'resource'; readonly state: () => State; readonly renew: (req: Request) => Promise<void> };

/**
 * A state of the directory, or of a part of it: within an epoch, equal versions are equal states. It has no date if
 * `changedAtMs` is undefined.
 */
export type State = { readonly version: number | string; readonly changedAtMs: number | undefined };

/** What is read: a body and its metadata. A collection is all of its entries, newest first. */
export type Content = Description & { readonly body: string | Uint8Array | Body | Collection };

/** A route to one content, whatever the search part is. Without a `state`, it depends on settings only. */
export const routeTo = <Context>(
  path: string,
  make: (context: Context) => Content | Promise<Content>,
  state?: (context: Context) => State,
): ResourceRoute<Context> => ({
  path,
  find: (context) => ({
    query: undefined,
    freshness: state && { of: 'directory', state: () => state(context) },
    make: () => make(context),
  }),
});

/** What all resources depend on. */
export type ResourceContext<Context> = {
  readonly context: Context;
  readonly directory: Directory;
  /** Changes with everything that contents depend on besides the directory: the release and the settings. */
  readonly form: string;
};

/** A resource with its key among all. */
export class KeyedResource implements Resource {
  readonly query: unknown;
  readonly freshness: Resource['freshness'];
  readonly make: Resource['make'];
  /** The request headers that choose between the representations of its URL. */
  readonly vary: Vary;
  readonly #directory: Directory;
  readonly #form: string;
  #last = { version: '' as State['version'], epoch: '', beganAtMs: 0 };
  #validators: Validators;

  constructor(
    readonly key: string,
    { query, freshness, make }: Resource,
    { directory, form, vary }: Pick<ResourceContext<never>, 'directory' | 'form'> & { readonly vary: Vary },
  ) {
    this.query = query;
    this.freshness = freshness;
    this.make = make;
    this.#directory = directory;
    this.#form = form;
    this.vary = vary;
    this.#validators = validatorsOf(`${form}.`, 0);
  }

  /** The validators of the current state: the same object until it changes. Throws what `state` throws. */
  validators(): Validators {
    if (this.freshness === undefined) return this.#validators;
    const { version, changedAtMs } = this.freshness.state();
    const { epoch, beganAtMs } = this.freshness.of === 'directory' ? this.#directory : noEpoch;
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

/** The resource at the URL of a request to a route's path. */
export type FindResource<Context> = (
  route: ResourceRoute<Context>,
  request: Pick<Request, 'url' | 'params' | 'headers'>,
) => KeyedResource | Redirect | undefined;

/** Finds resources. Those of short URLs are cached; refused or long ones are worked out each time. */
export const resourceFinder = <Context>({
  context,
  directory,
  form,
}: ResourceContext<Context>): FindResource<Context> => {
  const remembered = new BoundedCache<KeyedResource>({ max: maxRemembered });
  return (route, { url, params, headers }) => {
    const { hasLines = false } = route;
    const isLines = hasLines && prefersLines(headers.accept);
    const name = isLines ? `${url} ${linesForm}` : url;
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const path = pathOf(url);
    const search = url.slice(path.length + 1);
    // No path of a route has a wildcard, whose parameter would be an array.
    const found = route.find(context, { path, params: params as Params, search, isLines });
    if (found === undefined || 'redirectTo' in found) return found;
    const key = `${route.path} ${JSON.stringify(found.query)}`;
    const made = new KeyedResource(isLines ? `${key} ${linesForm}` : key, found, {
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
