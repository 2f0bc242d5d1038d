/** Structured data in a page: the only text that JSX does not escape, so it is escaped here. */

/** Writes characters that could end the script element or start a comment in it as JSON escapes. */
const scriptSafe = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A block of JSON-LD. Browsers do not execute data blocks. */
export const JsonLd = ({ data }: { data: object }) => (
  <script
    type="application/ld+json"
    dangerouslySetInnerHTML={{ __html: scriptSafe({ '@context': 'https://schema.org', ...data }) }}
  />
);
