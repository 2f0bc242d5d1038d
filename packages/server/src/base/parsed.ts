/** The result of reading a caller's input: the canonical value, or why it was refused, in words fit for the caller. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** An accepted value, in its canonical form. */
export const accepted = <T>(value: T): Parsed<T> => ({ ok: true, value });

/** A refusal. `why` is one sentence for the caller, without the refused text. */
export const refused = (why: string): Parsed<never> => ({ ok: false, why });
