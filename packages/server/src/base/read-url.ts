/**
 * The one way to read a URL that may be malformed. Not `URL.canParse`: in Node 20 and 22, once V8 has optimised the
 * call, it returns false for every URL with a Latin-1 letter, such as `https://bücher.example`. Lint forbids it.
 */

/** The URL, or undefined if the text is not a URL. */
export const readUrl = (text: string, base?: URL): URL | undefined => {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
};
