/**
 * Endpoints of many owners on one machine: names below a public suffix, so that each is a registrable domain of its
 * own, and an address of its own for each, where all of 127.0.0.0/8 is loopback. Receivers listen on `anyAddress`.
 */
import type { Zone } from './name-server.ts';

/** What a receiver listens on to be reached by every address. */
export const anyAddress = { host: '0.0.0.0' };

/** The name of an owner. */
export const ownerName = (number: number): string => `owner-${number}.github.io`;

/** Gives the names of `ownerName` addresses of their own, and all others 127.0.0.1. */
export const namesOfOwners: Zone = (name) => {
  const number = Number(/^owner-(\d+)\./.exec(name)?.[1] ?? -1);
  const isAllLoopback = process.platform === 'linux' && number >= 0;
  return [isAllLoopback ? `127.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}` : '127.0.0.1'];
};
