/**
 * The owner of a host, as far as its name shows: its registrable domain, by the Public Suffix List. The owner of a
 * domain can have any number of names below it.
 */
import { getDomain } from 'tldts';

/** Hosts of a platform (`x.github.io`) belong to its customers. Hosts are already canonical. */
const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };

/** The registrable domain of a canonical host; the host itself if it has none, such as an address. */
export const registrableDomain = (host: string): string => getDomain(host, options) ?? host;
