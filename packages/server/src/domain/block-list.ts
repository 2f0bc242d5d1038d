/**
 * What the operator blocks: submissions of templates, by authors, and of phrases in a name, description or handle;
 * webhooks of hosts; and, for a time, all writes of clients, which the limit of writes refuses.
 */
import { limits } from '@bot-directory/contract';
import { accepted, type Parsed, refused } from '../base/parsed.ts';
import { parseAuthor, isTemplateId, type TemplateId } from './links.ts';
import { isInNetworks, parseIp, parseNetwork } from './ip-address.ts';
import { isDisguised, skeleton } from './look-alike.ts';
import { phraseMatcher, searchPhrase } from './search.ts';

/** What a block matches. */
export const blockKinds = ['template', 'author', 'words', 'host', 'client'] as const;
export type BlockKind = (typeof blockKinds)[number];

/**
 * A block. `value`: a template id, a handle, words, the last of which may end in `*`, or a host: a name with all below
 * it, an address or a network.
 */
export type Block = { readonly kind: BlockKind; readonly value: string };

/**
 * The parts of a bot or post that a block can match. `text`: a bot's name and description, once known, or a post's
 * handle.
 */
export type BlockSubject = {
  readonly templateId: TemplateId | null;
  readonly author: string | null;
  readonly text: readonly string[];
};

/** Parses a block as the operator writes it. Two that match the same are equal. */
export const parseBlock = (kind: BlockKind, raw: string): Parsed<Block> => {
  const value = raw.trim();
  if (kind === 'author') {
    const author = parseAuthor(value);
    return author.ok ? accepted({ kind, value: author.value.toLowerCase() }) : author;
  }
  if (kind === 'template') {
    const id = /^https:\/\/[^/]+\/bot\/([^/?#]+)\/?$/.exec(value)?.[1] ?? value;
    return isTemplateId(id) ? accepted({ kind, value: id }) : refused('A template is blocked by its link, or its id.');
  }
  if (kind === 'client') {
    return /^[\w-]{22}$/.test(value)
      ? accepted({ kind, value })
      : refused('A client is blocked by its whole mark, as `bots <slug>` and `--json` show it.');
  }
  if (kind === 'host') return parseBlockedHost(value);
  const words = blockWords(searchPhrase(value) ?? '');
  return words === '' || words.length > limits.queryLength
    ? refused(`Words to block have a letter or digit and at most ${limits.queryLength} characters.`)
    : accepted({ kind, value: words });
};

/** Nothing of what was written is in the refusal: it may be a whole URL, which is secret. */
const parseBlockedHost = (raw: string): Parsed<Block> => {
  const host = bareHost(raw);
  const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) && host.length <= 253;
  return isName || parseNetwork(host).ok
    ? accepted({ kind: 'host', value: host })
    : refused('A host is blocked by its name, such as hooks.acme.com, or an address or network, such as 192.0.2.0/24.');
};

const bareHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/** Whether a host is a name or below it, or an address in a network. Both are canonical, brackets aside. */
export const isAtHost = (host: string, value: string): boolean => {
  const own = bareHost(host);
  const network = parseNetwork(value);
  return network.ok ? isInNetworks(own, [network.value]) : own === value || own.endsWith(`.${value}`);
};

/** Whether the operator refuses webhooks of a host, by its name or, with `addressesOf`, where it leads. */
export const isBlockedHost = async (
  blocks: readonly Block[],
  host: string,
  addressesOf: (host: string) => Promise<readonly string[]>,
): Promise<boolean> => {
  const values = blocks.flatMap(({ kind, value }) => (kind === 'host' ? [value] : []));
  if (values.some((value) => isAtHost(host, value))) return true;
  if (!values.some((value) => parseNetwork(value).ok) || parseIp(bareHost(host)) !== undefined) return false;
  const addresses = await addressesOf(host).catch(() => []);
  return addresses.some((address) => values.some((value) => isAtHost(address, value)));
};

const blockWords = (phrase: string): string => (phrase === '' ? '' : phrase.trim() + (phrase.endsWith(' ') ? '' : '*'));

/** How the operator's words match texts: as the search compares them, or as they look where a text is disguised. */
export const wordsMatcher = (texts: readonly string[]): ((words: string) => boolean) => {
  const has = phraseMatcher(texts);
  const looks = phraseMatcher(texts.filter(isDisguised), skeleton);
  return (words) => has(words) || looks(words);
};

/** The first block that matches, if any. Handles, which have only ASCII, are compared without regard to case. */
export const findBlock = (blocks: readonly Block[], subject: BlockSubject): Block | undefined => {
  // Finding the words of a text takes longer than everything else that a submit does with it.
  if (blocks.length === 0) return undefined;
  const author = subject.author?.toLowerCase();
  const hasWords = wordsMatcher(subject.text);
  return blocks.find(({ kind, value }) => {
    if (kind === 'template') return value === subject.templateId;
    if (kind === 'author') return value === author;
    return kind === 'words' && hasWords(value);
  });
};
