/** Outside text and the canonical values that it stands for. */

/** The result of reading a caller's input: the canonical value, or why it was refused, in words fit for the caller. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** An accepted value, in its canonical form. */
export const accepted = <T>(value: T): Parsed<T> => ({ ok: true, value });

/** A refusal. `why` is one sentence for the caller, without the refused text. */
export const refused = (why: string): Parsed<never> => ({ ok: false, why });

/** A nominal type: a plain string at run time, which only its own module can make. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name };

/**
 * The URL, or undefined if the text is not a URL. Not `URL.canParse`: in Node 20 and 22, once V8 has optimised the
 * call, it returns false for every URL with a Latin-1 letter, such as `https://bücher.example`. Lint forbids it.
 */
export const readUrl = (text: string, base?: URL): URL | undefined => {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
};

/** What is wrong with a parameter that a query has twice. */
export const onlyOnce = 'must be given once';
