/**
 * The spelling that slugs and integrations share: text in any script becomes lower-case ASCII words joined by hyphens.
 * The callers handle signs such as `&` and `+`.
 */
/** Compatibility forms unfolded, diacritics dropped, lower case: `İstanbul Ｆｕｌｌ` → `istanbul full`. */
export const unaccented = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Runs of anything but `a-z` and `0-9` become one hyphen, none at the ends. */
export const hyphenated = (text: string): string => text.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
