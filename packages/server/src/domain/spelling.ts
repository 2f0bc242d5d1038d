/**
 * The spelling that slugs and integrations share: any script in, lower-case ASCII words joined by hyphens out.
 * What a sign such as `&` or `+` means is left to the two callers.
 */
/** Compatibility forms unfolded, diacritics dropped, lower case: `İstanbul Ｆｕｌｌ` → `istanbul full`. */
export const unaccented = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Runs of anything but `a-z` and `0-9` become one hyphen, none at the ends. */
export const hyphenated = (text: string): string => text.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
