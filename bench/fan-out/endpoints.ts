/** The endpoints of the measurement, whose names all resolve to loopback, and what is sent to them. */
import type { WebhookTarget, WebhookUrl } from '../../packages/server/src/domain/webhook-url.ts';

/**
 * A public suffix, so that each host below it is an owner of its own; the certificate is for any one label before it.
 */
const suffix = 'github.io';
const oneHost = 'hooks.example.com';
/** Where a receiver closes the connection after its response. */
export const closingPath = '/closes';

/** Endpoints at hosts of their own, numbered from `first`. */
export const manyOrigins = (port: number, count: number, first = 0): WebhookTarget[] =>
  Array.from({ length: count }, (_, i) => target(`h${first + i}.${suffix}`, port, '/hook'));

/** The same, but each closes the connection after its response. */
export const closingOrigins = (port: number, count: number, first = 0): WebhookTarget[] =>
  Array.from({ length: count }, (_, i) => target(`h${first + i}.${suffix}`, port, closingPath));

/** Endpoints at one host. */
export const oneOrigin = (port: number, count: number): WebhookTarget[] =>
  Array.from({ length: count }, (_, i) => target(oneHost, port, `/hook/${i}`));

const target = (host: string, port: number, path: string): WebhookTarget => ({
  url: `https://${host}:${port}${path}` as WebhookUrl,
  host,
});

/** The address of a host: one of its own where the whole of 127.0.0.0/8 is loopback, so that no port range runs out. */
export const addressOf = (host: string): string => {
  const number = Number(/^h(\d+)\./.exec(host)?.[1] ?? 0);
  return process.platform === 'linux'
    ? `127.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`
    : '127.0.0.1';
};
