/**
 * The one way to read a URL that may be malformed. Not by `URL.canParse`: in Node 20 and 22, once V8 has optimised the
 * call, it is false for every URL with a letter of Latin-1, such as `https://bücher.example`. Lint refuses it.
 */

/** The URL, or nothing where the text is none. */
export const readUrl = (text: string, base?: URL): URL | undefined => {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
};
