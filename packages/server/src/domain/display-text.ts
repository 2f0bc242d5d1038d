/**
 * Text from outside that people will read on a page, in a terminal and in other people's programs. Escaping is left to
 * whoever writes it out; here it becomes one clean line of well-formed Unicode.
 */
/** Controls, lone surrogates, and format characters that hide, reorder or join text; emoji and Persian keep theirs. */
const unwanted = /(?!\s)\p{Cc}|\p{Cs}|[\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFFF9-\uFFFB]/gu;

const visible = /[^\s\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/u;

/**
 * One trimmed line of at most `longest` UTF-16 units, cut between code points; `''` when nothing in it can be seen.
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
