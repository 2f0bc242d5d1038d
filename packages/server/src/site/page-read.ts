/** What the site gives to be read: pages, feeds and files, each a text of some state of the directory. */

/** A text and what it says of itself. `headers` is a flat list of names and values. */
export type Sendable = {
  readonly body: string | Uint8Array;
  readonly contentType: string;
  readonly headers: readonly string[];
};

/** What a text is made of: equal states of one key have equal texts. */
export type PageState = { readonly version: string; readonly changedAtMs: number };

/** A text to be read. `state` and `make` may throw the Failure to show. */
export type PageRead = {
  readonly key: string;
  /** `undefined`: it is made of settings alone, and is served whether or not the directory can be. */
  readonly state: (() => PageState) | undefined;
  readonly make: () => Sendable | Promise<Sendable>;
};

/** What a path and the text after its `?` read; `undefined` for paths of others. Throws the Failure to show. */
export type PageRoute = (path: string, search: string) => PageRead | undefined;
