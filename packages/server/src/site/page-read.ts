/** What can be read of the site: pages, feeds and files, each a text made from some state of the directory. */

/** A text and its metadata. `headers` is a flat list of names and values. */
export type Sendable = {
  readonly body: string | Uint8Array;
  readonly contentType: string;
  readonly headers: readonly string[];
};

/** The state that a text is made from: equal states of one key have equal texts. */
export type PageState = { readonly version: string; readonly changedAtMs: number };

/** A readable text. `state` and `make` may throw the Failure to show. */
export type PageRead = {
  readonly key: string;
  /** `undefined`: it depends on settings only, and is served even if the directory cannot be. */
  readonly state: (() => PageState) | undefined;
  /** Whether it is a search by words. */
  readonly isSearch?: boolean;
  readonly make: () => Sendable | Promise<Sendable>;
};

/** Finds what a path and its search part read; `undefined` for other paths. Throws the Failure to show. */
export type PageRoute = (path: string, search: string) => PageRead | undefined;
