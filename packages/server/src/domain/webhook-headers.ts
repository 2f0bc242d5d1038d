/**
 * Headers that a webhook's owner wants with every delivery, such as the key of a gateway. They are secrets: only the
 * store and the request have them, and no refusal repeats a value.
 */
import { deliveryHeaders, limits } from '@bot-directory/contract';

/** Every header that the sender sets. Its table has this type: one more does not compile before it is refused here. */
const sentHeaders = [
  ...(['host', 'connection', 'accept', 'user-agent', 'content-type', 'content-length'] as const),
  ...Object.values(deliveryHeaders),
] as const;
export type SentHeader = (typeof sentHeaders)[number];

const sentNames: ReadonlySet<string> = new Set(sentHeaders.map((name) => name.toLowerCase()));

/**
 * What else is not an owner's to set: how a request is framed, which method it means, what its body is, where it came
 * from, and names like ours. Browsers refuse most of them to scripts, too:
 * https://fetch.spec.whatwg.org/#forbidden-request-header
 */
const reserved = [
  /^(?:accept|access-control|ce|content|if|proxy|sec|webhook|x-forwarded|x-service)-/,
  /^(?:expect|http2-settings|keep-alive|range|te|trailer|transfer-encoding|upgrade)$/,
  /^x-(?:http-method|http-method-override|method-override)$/,
  /^(?:cookie2?|date|dnt|forwarded|origin|referer|set-cookie|via)$/,
  /-(?:client|connecting|real|user)-?ip(?:v6)?$/,
];

const { headersPerWebhook, headerNameLength, headerValueLength } = limits;
const token = /^[\w!#$%&'*+.^`|~-]+$/;
const visible = /^[!-~](?:[\t -~]*[!-~])?$/;

const isName = (name: string): boolean => name.length <= headerNameLength && token.test(name);
const isOurs = (name: string): boolean => sentNames.has(name) || reserved.some((pattern) => pattern.test(name));
const isValue = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= headerValueLength && visible.test(value);

type Entry = readonly [name: string, value: string];

/** Headers of an owner. The field is private, so that nothing prints it: no log, no error, no assertion. */
export class WebhookHeaders {
  readonly #entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** As they stand in a request. */
  get lines(): string {
    return this.#entries.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  }

  /** As the store keeps them: JSON, on one line. Equal headers have equal texts. */
  get text(): string {
    return JSON.stringify(this.#entries);
  }
}

/** Why headers are refused: all of them, or the one with this name. */
export type HeaderFault = { readonly name?: string; readonly why: string };

/** Parses what a registration sends. A name that is no token is not repeated: it may be a value in the wrong place. */
export const parseWebhookHeaders = (sent: unknown): WebhookHeaders | readonly HeaderFault[] => {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return [{ why: 'must be an object' }];
  const entries = Object.entries(sent) as [name: string, value: unknown][];
  if (entries.length > headersPerWebhook) return [{ why: `must have at most ${headersPerWebhook} entries` }];
  if (!entries.every(([name]) => isName(name)))
    return [{ why: `must have names of 1 to ${headerNameLength} letters, digits and !#$%&'*+-.^_\`|~` }];

  const seen = new Set<string>();
  const faults = entries.flatMap(([name, value]): HeaderFault[] => {
    const lower = name.toLowerCase();
    if (isOurs(lower)) return [{ name, why: 'is set by us, or refused' }];
    if (seen.has(lower)) return [{ name, why: 'is there twice' }];
    seen.add(lower);
    if (isValue(value)) return [];
    return [
      { name, why: `must be 1 to ${headerValueLength} visible ASCII characters, with spaces and tabs only inside` },
    ];
  });
  if (faults.length > 0) return faults;
  const valid = entries.flatMap(([name, value]): Entry[] => (isValue(value) ? [[name.toLowerCase(), value]] : []));
  return new WebhookHeaders(valid.sort(([a], [b]) => (a < b ? -1 : 1)));
};

/**
 * Parses what the store has; undefined if that is nothing, or unreadable. A header that we have begun to set ourselves
 * is left out.
 */
export const storedHeaders = (text: string): WebhookHeaders | undefined => {
  if (text === '') return undefined;
  try {
    const entries = JSON.parse(text) as readonly Entry[];
    if (!entries.every(([name, value]) => isName(name) && isValue(value))) return undefined;
    return new WebhookHeaders(entries.filter(([name]) => !isOurs(name)));
  } catch {
    return undefined;
  }
};
