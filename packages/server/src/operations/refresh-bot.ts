/**
 * Reads a bot's template again and takes over what it now says, with a `bot.updated` event, in one step. The text must
 * pass the operator's blocks; if it does not, the bot stays as it is and the operator gets a report.
 */
import { templateFields, writeRoutes, type RefreshedBot, type TemplateField } from '@bot-directory/contract';
import { timestamp } from '../base/clock.ts';
import type { Failure } from '../base/failure.ts';
import type { BotId, Ids } from '../base/ids.ts';
import { findBlock } from '../domain/block-list.ts';
import { botGone, botNotFound, botPath, refreshedIntegrations, splitList } from '../domain/bot.ts';
import { botUpdated } from '../domain/event.ts';
import type { Author, TemplateId } from '../domain/links.ts';
import type { TemplatePage } from '../domain/template-page.ts';
import type { FetchTemplate } from '../outbound/fetch-template.ts';
import type { BotStore } from '../store/bot-store.ts';
import type { ModerationStore, ReportStore } from '../store/moderation-store.ts';
import { operation } from './input.ts';
import { blocked, providerUnavailable, templateMissing } from './submit-bot.ts';

type Hash = ReadonlyMap<string, string>;

type Deps = {
  readonly bots: BotStore;
  readonly moderation: Pick<ModerationStore, 'submissionRules'>;
  readonly reports: Pick<ReportStore, 'add'>;
  readonly fetchTemplate: FetchTemplate;
  readonly ids: Ids;
  readonly baseUrl: string;
};

/**
 * Refreshes the bot at `slug`. Failures: bot_not_found, bot_gone, template_not_found, template_provider_unavailable,
 * submission_blocked.
 */
export const refreshBot = operation({
  input: () => writeRoutes.refreshBot.body,
  run: async (deps: Deps, _input, slug): Promise<RefreshedBot> => {
    const id = await deps.bots.idOfSlug(slug);
    if (id === undefined) throw botNotFound();
    const { changed, atMs } = await readTemplate(deps, id);
    return { slug, url: botPath(slug), changed, checked_at: timestamp(atMs) };
  },
});

const readTemplate = async (deps: Deps, id: BotId): Promise<{ changed: TemplateField[]; atMs: number }> => {
  const reading = await deps.bots.claimReading(id);
  if (reading.outcome === 'missing') throw botNotFound();
  if (reading.outcome === 'removed') throw botGone(reading);
  const { atMs } = reading;
  if (reading.outcome === 'recent') return { changed: resultOf(reading), atMs };
  const found = await deps.fetchTemplate(reading.hash.get('template_id') as TemplateId);
  if (found.outcome === 'found') return { changed: await takeOver(deps, { id, ...reading, page: found.page }), atMs };
  const failure = found.outcome === 'missing' ? templateMissing() : providerUnavailable(found.why);
  await deps.bots.recordReading(id, failure.code);
  throw failure;
};

/** The stored result of a reading, or the failure that it stands for. */
const resultOf = ({ result, nextSec }: { readonly result: string; readonly nextSec: number }): TemplateField[] => {
  if (result === '') throw providerUnavailable('another request is reading the template');
  if (result === 'template_provider_unavailable') throw providerUnavailable('the last reading failed', nextSec);
  if (result === 'template_not_found') throw templateMissing();
  if (result === 'submission_blocked') throw blocked();
  return templateFields.filter((name) => splitList(result).includes(name));
};

type Read = { readonly id: BotId; readonly hash: Hash; readonly page: TemplatePage };

/** Changes the bot to what the page says. Returns the fields that differed. */
const takeOver = async (deps: Deps, { id, hash: first, page }: Read): Promise<TemplateField[]> => {
  const { bots, moderation, ids, baseUrl } = deps;
  for (let hash = first; ; hash = await bots.hashOf(id)) {
    const template = templateFieldsOf(hash, page);
    const changed = templateFields.filter((name) => template.get(name) !== (hash.get(name) ?? ''));
    const { blocks, blocksVersion } = await moderation.submissionRules();
    const subject = {
      templateId: hash.get('template_id') as TemplateId,
      author: (hash.get('author') ?? null) as Author | null,
      text: [page.name, page.description],
    };
    if (changed.length > 0 && findBlock(blocks, subject) !== undefined) throw await refuse(deps, { id, hash: first });
    const outcome = await bots.edit({
      id,
      // The claim has deleted the result of the reading before.
      hash: new Map([...hash, ['read_result', '']]),
      fields: new Map([
        ...otherFields.map((name) => [name, hash.get(name) ?? ''] as const),
        ...template,
        ['read_result', changed.join(',') || 'none'],
      ]),
      event: changed.length === 0 ? undefined : botUpdated(ids.event(), new Map([...hash, ...template]), baseUrl),
      blocksVersion,
    });
    if (outcome === 'missing') throw botNotFound();
    if (outcome === 'changed') return changed;
  }
};

/** What is not the template's, but is in the envelope: it must not have changed meanwhile. */
const otherFields = ['author', 'source_url', 'categories'] as const;

const templateFieldsOf = (hash: Hash, { name, description, integrations: offered }: TemplatePage): Hash => {
  const before = {
    integrations: splitList(hash.get('integrations') ?? ''),
    provided: splitList(hash.get('provided') ?? ''),
  };
  const { integrations, provided } = refreshedIntegrations(before, offered);
  return new Map([
    ['name', name],
    ['description', description],
    ['integrations', integrations.join(',')],
    ['provided', provided.join(',')],
  ]);
};

/** Refuses a text that a block matches. The operator gets a report, unless the last reading was refused too. */
const refuse = async ({ bots, reports, ids }: Deps, { id, hash }: Pick<Read, 'id' | 'hash'>): Promise<Failure> => {
  await bots.recordReading(id, 'submission_blocked');
  if (hash.get('read_result') !== 'submission_blocked')
    await reports.add({ id: ids.report(), botId: id, reason: 'blocked_text', text: '' });
  return blocked();
};
