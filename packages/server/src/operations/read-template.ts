/**
 * Reads a bot's template again and takes over what it now says, in one step, with a `bot.updated` event, or with a
 * `bot.restored` if the bot was withdrawn because its template was gone. The text must pass the operator's blocks; if
 * it does not, the bot stays as it is and the operator gets a report.
 *
 * A template is read when somebody requests it, and by `recheck-templates.ts`.
 */
import { templateFields, type TemplateField } from '@bot-directory/contract';
import type { BotId, Ids } from '../base/ids.ts';
import { findBlock } from '../domain/block-list.ts';
import { missingTemplate, refreshedIntegrations, splitList } from '../domain/bot.ts';
import type { Author, TemplateId } from '../domain/links.ts';
import { namesFor } from '../domain/names.ts';
import { validatorsFrom, type TemplatePage, type TemplateValidators } from '../domain/template-page.ts';
import type { FetchTemplate, TemplateOutcome } from '../outbound/fetch-template.ts';
import type { BotStore } from '../store/bots/bot-store.ts';
import type { ModerationStore } from '../store/moderation/moderation-store.ts';
import type { ReportStore } from '../store/reports/report-store.ts';
import type { ReadingResult, ReadingStore } from '../store/readings/reading-store.ts';

type Hash = ReadonlyMap<string, string>;

export type ReadTemplateDeps = {
  readonly bots: Pick<BotStore, 'edit' | 'hashOf'>;
  readonly readings: Pick<ReadingStore, 'record' | 'bringBack'>;
  readonly moderation: Pick<ModerationStore, 'submissionRules'>;
  readonly reports: Pick<ReportStore, 'add'>;
  readonly fetchTemplate: FetchTemplate;
  readonly ids: Ids;
};

/** A claimed reading: the bot, and its hash before the claim. */
type Claimed = { readonly id: BotId; readonly hash: Hash };

export type TemplateReading =
  /** It was found, and `changed` taken over; `returned`: the bot had been withdrawn. */
  | { readonly outcome: 'read' | 'returned'; readonly changed: TemplateField[] }
  /** The bot is not there any more, or is no longer listed. */
  | { readonly outcome: 'left' }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'blocked' }
  | Extract<TemplateOutcome, { outcome: 'unavailable' }>;

/**
 * Reads a template; the caller has claimed the reading. `pauseFor` says how long to leave a provider alone that is
 * down; undefined if the caller does not care.
 */
export const readTemplate = async (
  deps: ReadTemplateDeps,
  { id, hash }: Claimed,
  pauseFor?: (down: Extract<TemplateOutcome, { outcome: 'unavailable' }>) => ReadingResult['pause'],
): Promise<TemplateReading> => {
  const { readings, fetchTemplate } = deps;
  const known = validatorsFrom(hash.get('etag'), hash.get('last_modified'));
  const found = await fetchTemplate(hash.get('template_id') as TemplateId, known);
  switch (found.outcome) {
    case 'found':
      return takeOver(deps, { id, hash, ...found });
    case 'unchanged':
      await readings.record({ id, result: 'none', template: 'found', validators: known });
      return { outcome: 'read', changed: [] };
    case 'missing':
      await readings.record({ id, result: 'template_not_found', template: 'missing' });
      return { outcome: 'missing' };
    case 'unavailable': {
      const pause = found.isProviderDown ? pauseFor?.(found) : undefined;
      await readings.record({
        id,
        result: 'template_provider_unavailable',
        template: 'unknown',
        ...(pause === undefined ? {} : { pause }),
      });
      return found;
    }
  }
};

type Read = Claimed & { readonly page: TemplatePage; readonly validators: TemplateValidators | undefined };

/** Changes the bot to what the page says. */
const takeOver = async (
  deps: ReadTemplateDeps,
  { id, hash: first, page, validators }: Read,
): Promise<TemplateReading> => {
  const { bots, moderation, readings, ids } = deps;
  // The claim has deleted the result of the previous reading.
  for (let hash: Hash = new Map([...first, ['read_result', '']]); ; hash = await bots.hashOf(id)) {
    const template = templateFieldsOf(hash, page);
    const changed = templateFields.filter((name) => template.get(name) !== (hash.get(name) ?? ''));
    const isGone = missingTemplate(hash) === 'gone';
    const { blocks, blocksVersion } = await moderation.submissionRules();
    const subject = {
      templateId: hash.get('template_id') as TemplateId,
      author: (hash.get('author') ?? null) as Author | null,
      text: [page.name, page.description],
    };
    if ((changed.length > 0 || isGone) && findBlock(blocks, subject) !== undefined)
      return refuse(deps, { id, hash: first });
    const result = changed.join(',') || 'none';
    const change = { id, blocksVersion, hash, fields: new Map([...template, ['read_result', result]]) };
    const outcome = isGone
      ? await readings.bringBack({ ...change, eventId: ids.event() })
      : await bots.edit({ ...change, eventId: changed.length === 0 ? undefined : ids.event() });
    if (outcome === 'missing') return { outcome: 'left' };
    if (outcome === 'outdated') continue;
    // Only now: what the validators stand for has been taken over.
    if (validators !== undefined || noted.some((name) => hash.has(name)))
      await readings.record({ id, result, template: 'found', validators });
    return { outcome: isGone ? 'returned' : 'read', changed };
  }
};

/** Fields that a failed reading sets, or that belong to the previous version: finding the template replaces them. */
const noted = ['missed', 'etag', 'last_modified'] as const;

const templateFieldsOf = (hash: Hash, { name, description, integrations: offered }: TemplatePage): Hash => {
  const stored = (field: string): string[] => splitList(hash.get(field) ?? '');
  const before = { integrations: stored('integrations'), provided: stored('provided') };
  const { integrations, provided } = refreshedIntegrations(before, [...offered.keys()]);
  const added = [...offered].flatMap(([slug, written]) => (before.integrations.includes(slug) ? [] : [written]));
  return new Map([
    ['name', name],
    ['description', description],
    ['integrations', integrations.join(',')],
    ['provided', provided.join(',')],
    ['written', namesFor(integrations, [...stored('written'), ...added]).join(',')],
  ]);
};

/** Refuses a text that a block matches. The operator gets a report, unless the last reading was refused too. */
const refuse = async (
  { readings, reports, ids }: ReadTemplateDeps,
  { id, hash }: Claimed,
): Promise<TemplateReading> => {
  await readings.record({ id, result: 'submission_blocked', template: 'unknown' });
  if (hash.get('read_result') !== 'submission_blocked')
    await reports.add({ id: ids.report(), subject: id, reason: 'blocked_text', text: '' });
  return { outcome: 'blocked' };
};
