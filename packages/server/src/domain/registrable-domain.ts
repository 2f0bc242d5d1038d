/**
 * Who is behind a host, as far as a name tells: its registrable domain, by the Public Suffix List. Whoever registers one
 * has as many names below it as they like.
 */
import { getDomain } from 'tldts';

/** Hosts of a platform (`x.github.io`) belong to its customers; hosts are canonical already. */
const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };

/** The registrable domain of a canonical host; the host itself when it has none, as an address has. */
export const registrableDomain = (host: string): string => getDomain(host, options) ?? host;
