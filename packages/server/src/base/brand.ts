/** A nominal type: a plain string at run time, which only its own module can make. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name };
