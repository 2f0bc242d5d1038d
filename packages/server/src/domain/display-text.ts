/**
 * Cleans outside text that people will read on a page, in a terminal or in other programs: the result is one line of
 * well-formed Unicode. Escaping is left to the code that outputs it.
 */
/**
 * Controls, lone surrogates, and format characters that hide, reorder or join text; those that emoji and Persian need
 * are kept.
 */
const unwanted = /(?!\s)\p{Cc}|\p{Cs}|[\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFFF9-\uFFFB]/gu;

const visible = /[^\s\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/u;

/**
 * One trimmed line of at most `longest` UTF-16 units, cut between code points; `''` if nothing in it is visible.
 * Cleaning a clean text changes nothing.
 */
export function displayText(raw: string, longest: number): string {
  const line = raw.replace(unwanted, '').replace(/\s+/g, ' ').trim();
  const cut = line
    .slice(0, longest)
    .replace(/\p{Cs}$/u, '')
    .trimEnd();
  return visible.test(cut) ? cut : '';
}
