/** Structured data in a page: the one place where text goes into a page unescaped by JSX, so it escapes by itself. */

/** Whatever could end the script element or start a comment in it is written as an escape of JSON. */
const scriptSafe = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A block of JSON-LD. A browser runs no block of data. */
export const JsonLd = ({ data }: { data: object }) => (
  <script
    type="application/ld+json"
    dangerouslySetInnerHTML={{ __html: scriptSafe({ '@context': 'https://schema.org', ...data }) }}
  />
);
