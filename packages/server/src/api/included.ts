/** The fields that a bot has where it is read alone, and in lists and events only if `include` names them. */
import { includedFields, type Bot, type BotDetails, type IncludedField } from '@bot-directory/contract';
import { timestamp } from '../base/time.ts';
import { botsOf, type Directory, type Selected } from '../directory/directory.ts';
import { nameOf, type ListingResult } from '../directory/listing.ts';
import type { StoredBot } from '../domain/bot.ts';
import type { LoggedEvent } from '../domain/event.ts';
import type { Body } from '../reads/representation.ts';

/** Which of them a request includes, in the order of the contract. */
export type Included = { readonly include: readonly IncludedField[] };

type Listed = Pick<Directory['bots'], 'index'>;
type Unshown = Pick<StoredBot, 'updatedAtMs' | 'templateId'>;

const names = Object.keys(includedFields) as IncludedField[];

/** Parses a query, and what it includes. */
export const parseIncluding = <T>(
  query: URLSearchParams,
  parse: (query: URLSearchParams) => ListingResult<T>,
): ListingResult<T & Included> => {
  const parsed = parse(query);
  const sent = [...query].flatMap(([name, value]) => (nameOf(name) === 'include' ? value.split(',') : []));
  const include = names.filter((name) => sent.includes(name));
  if (sent.every((one) => names.some((name) => name === one)))
    return parsed.ok ? { ok: true, value: { ...parsed.value, include } } : parsed;
  const error = { pointer: '?include', detail: `must be one or several of ${names.join(', ')}` };
  return { ok: false, errors: [...(parsed.ok ? [] : parsed.errors), error] };
};

const valuesOf = ({ updatedAtMs, templateId }: Unshown, templateHost: string): Pick<BotDetails, IncludedField> => ({
  updated_at: timestamp(updatedAtMs),
  template_url: `https://${templateHost}/bot/${templateId}`,
});

/** A bot with all of them. */
export const detailed = (bot: Bot, unshown: Unshown, templateHost: string): BotDetails => ({
  ...bot,
  ...valuesOf(unshown, templateHost),
});

/** The selected bots with all of them. */
export const detailedBots = (selected: Selected, { index }: Listed, templateHost: string): BotDetails[] =>
  botsOf(selected).map((bot, i) => detailed(bot, index.unshown(selected.ordinals[i] ?? 0), templateHost));

/** Which fields are added to a bot's JSON, and the host of template links. */
type Adding = Included & { readonly templateHost: string };

/** What is added to the members of a bot's JSON. None of it needs an escape, and all of it is ASCII. */
const addedMembers = (unshown: Unshown, { include, templateHost }: Adding): string => {
  const values = valuesOf(unshown, templateHost);
  return include.map((name) => `,"${name}":"${values[name]}"`).join('');
};

/** The envelope of an event with these fields. The data of a removal has none: it is no bot. */
export const envelopeWith = ({ type, bot, body }: LoggedEvent, adding: Adding): Buffer =>
  adding.include.length === 0 || type === 'bot.removed' || bot.unshown === undefined
    ? body
    : Buffer.concat([body.subarray(0, -2), Buffer.from(`${addedMembers(bot.unshown, adding)}}}`)]);

const entriesOfPiece = 256;
/** What an entry takes besides its ordinal. */
const entryBytes = 48;

/**
 * The selected entries with these fields as they are now: as a JSON array, or as lines. It is made piece by piece each
 * time it is sent.
 */
export const bodyWith = (
  { ordinals, segments }: Selected,
  { index }: Listed,
  { isLines, ...adding }: Adding & { readonly isLines: boolean },
): Body => {
  const unshown = Array.from(ordinals, (ordinal) => index.unshown(ordinal));
  const sameLength = addedMembers({ updatedAtMs: 0, templateId: '' }, adding).length;
  const lengthOf = ({ templateId }: Unshown): number =>
    sameLength + (adding.include.includes('template_url') ? templateId.length : 0);
  const added = unshown.reduce((sum, one) => sum + lengthOf(one), 0);
  const entry = (i: number): string => {
    const own = unshown[i];
    const json = segments.json(ordinals[i] ?? 0).toString();
    return own === undefined ? json : `${json.slice(0, -1)}${addedMembers(own, adding)}}`;
  };
  return {
    length: added + (isLines ? segments.linesLength(ordinals) : segments.arrayLength(ordinals)),
    heldBytes: ordinals.byteLength + ordinals.length * entryBytes,
    pieces: function* () {
      if (!isLines) yield Buffer.from('[');
      for (let i = 0; i < ordinals.length; i += entriesOfPiece) {
        const end = Math.min(i + entriesOfPiece, ordinals.length);
        const entries = Array.from({ length: end - i }, (_, j) => entry(i + j));
        yield Buffer.from(isLines ? `${entries.join('\n')}\n` : entries.join(',') + (end < ordinals.length ? ',' : ''));
      }
      if (!isLines) yield Buffer.from(']');
    },
  };
};
