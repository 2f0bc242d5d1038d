/**
 * Submits a bot: checks that it is new, fetches its template, and publishes it with its event in one step. A dry run
 * ends before that step, with the bot as it would be. One that may be taken for another is published, and the operator
 * gets a report.
 */
import * as z from 'zod';
import { limits, submission as submitted, type BotPreview, type Published } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { BotId, Ids } from '../base/ids.ts';
import { timestamp } from '../base/time.ts';
import { findBlock } from '../domain/block-list.ts';
import { botPath, draftedBot, type BotDraft } from '../domain/bot.ts';
import { namedBy, namesFor, parseCategory, slugFor, type WrittenIntegrations } from '../domain/names.ts';
import { parseAuthor, parseStatusUrl, parseTemplateLink, type TemplateId } from '../domain/links.ts';
import type { TemplatePage } from '../domain/template-page.ts';
import type { FetchTemplate } from '../outbound/fetch-template.ts';
import type { BotStore } from '../store/bots/bot-store.ts';
import type { ModerationStore, SubmissionRules } from '../store/moderation/moderation-store.ts';
import type { NoticeStore } from '../store/reports/notice-store.ts';
import {
  arrayOf,
  atMost,
  tooMany,
  operation,
  reading,
  refined,
  writtenIntegrations,
  type InputRules,
  type RequestContext,
} from './input.ts';
import type { TextWatch } from './text-watch.ts';

/** A submission whose fields are all canonical. Without `integrations` it gets those of its template. */
const input = ({ template, social, categories }: InputRules) =>
  refined(submitted, {
    link: reading(submitted.shape.link, (raw) => parseTemplateLink(raw, template.host)),
    source_url: reading(z.string(), (raw) => parseStatusUrl(raw, social)).optional(),
    author: reading(z.string(), parseAuthor).optional(),
    integrations: writtenIntegrations()
      .refine(({ size }) => size <= limits.integrationsPerBot, tooMany(limits.integrationsPerBot))
      .optional(),
    categories: atMost(
      limits.categoriesPerBot,
      arrayOf(reading(z.string(), (raw) => parseCategory(raw, categories))),
    ).optional(),
    dry_run: z.boolean().optional(),
    name: submitted.shape.name,
    description: submitted.shape.description,
  });

type Submission = z.output<ReturnType<typeof input>>;

type Deps = {
  readonly bots: BotStore;
  readonly moderation: Pick<ModerationStore, 'submissionRules' | 'nowMs'>;
  readonly fetchTemplate: FetchTemplate;
  readonly notices: Pick<NoticeStore, 'countRefused'>;
  readonly textWatch: Pick<TextWatch, 'see'>;
  readonly ids: Ids;
  /** Whether new bots wait for the operator's approval. */
  readonly approveFirst: boolean;
  readonly baseUrl: string;
};

/** Seconds after which a caller should retry when the provider does not respond, or submissions are closed. */
const providerRetrySec = 30;
const closedRetrySec = 3_600;

/**
 * Publishes a bot. Failures: bot_exists, bot_removed, submissions_closed, submission_blocked, template_not_found,
 * template_provider_unavailable.
 */
const run = async (
  deps: Deps,
  submission: Submission,
  { client }: Pick<RequestContext, 'client'>,
): Promise<Published> => {
  const { bots, moderation, fetchTemplate, notices, textWatch, ids, approveFirst } = deps;
  const [known, first] = await Promise.all([
    bots.slugOfTemplate(submission.link.templateId),
    moderation.submissionRules(),
  ]);
  if (known !== null) throw await exists(bots, known);
  refuseBlocked(first, submission, { text: [], notices });

  const page = await templatePage(fetchTemplate, submission.link.templateId);
  const draft = draftOf(submission, page, ids.bot());
  for (let rules = first; ; rules = await moderation.submissionRules()) {
    refuseBlocked(rules, submission, { text: [page.name, page.description], notices });
    if (submission.dry_run === true) return preview(deps, draft);
    const { blocksVersion } = rules;
    const publication = await bots.publish(draft, ids.event(), { blocksVersion, isPending: approveFirst, client });
    if (publication.outcome === 'closed') throw closed();
    // The operator changed the blocks meanwhile: check again.
    if (publication.outcome === 'outdated') continue;
    if (publication.outcome === 'exists') throw await exists(bots, publication.slug);
    const { slug } = publication;
    textWatch.see({ id: draft.id, slug });
    return placeOf(slug, approveFirst);
  }
};

/** Not a member of the result, which MCP checks: pages show how its integrations are written, the API has slugs. */
const written = new WeakMap<Published, WrittenIntegrations>();

/** How the integrations of a preview are written. */
export const writtenIn = (previewed: Published): WrittenIntegrations | undefined => written.get(previewed);

const placeOf = (slug: string, isPending: boolean): Published => ({
  slug,
  url: botPath(slug),
  ...(isPending ? { pending: true } : {}),
});

export const submitBot = operation({ input, run });

const draftOf = (submission: Submission, page: TemplatePage, id: BotId): BotDraft => {
  const integrations = [...(submission.integrations ?? page.integrations).keys()];
  return {
    id,
    ...submission.link,
    wantedSlug: slugFor(page.name, id),
    name: page.name,
    description: page.description,
    author: submission.author ?? null,
    sourceUrl: submission.source_url?.url ?? null,
    integrations,
    written: namesFor(integrations, [...(submission.integrations?.values() ?? []), ...page.integrations.values()]),
    provided: submission.integrations === undefined ? integrations : [],
    categories: submission.categories ?? [],
  };
};

/** What publishing the draft now would return, and the bot that it would list. */
const preview = async ({ bots, moderation, approveFirst, baseUrl }: Deps, draft: BotDraft): Promise<Published> => {
  const [slug, createdAtMs] = await Promise.all([bots.freeSlug(draft.wantedSlug), moderation.nowMs()]);
  const { id: _, ...rest } = draftedBot(draft, { slug, createdAtMs }, baseUrl);
  const previewed = { ...placeOf(slug, approveFirst), preview: rest satisfies BotPreview };
  written.set(previewed, namedBy(draft.written));
  return previewed;
};

const refuseBlocked = (
  { isOpen, blocks }: SubmissionRules,
  { author, link }: Submission,
  { text, notices }: Pick<Deps, 'notices'> & { readonly text: readonly string[] },
): void => {
  if (!isOpen) throw closed();
  if (findBlock(blocks, { templateId: link.templateId, author: author ?? null, text }) === undefined) return;
  notices.countRefused();
  throw blocked();
};

/** The failure while submissions are closed. */
export const closed = (what = 'bots'): Failure =>
  new Failure('submissions_closed', `The operator of this directory accepts no new ${what} right now.`, {
    retryAfterSec: closedRetrySec,
  });

const templatePage = async (fetchTemplate: FetchTemplate, id: TemplateId): Promise<TemplatePage> => {
  const found = await fetchTemplate(id);
  if (found.outcome === 'found') return found.page;
  throw found.outcome === 'unavailable' ? providerUnavailable(found.why) : templateMissing();
};

/** The failure about a template that the provider does not have. */
export const templateMissing = (): Failure =>
  new Failure('template_not_found', 'The template provider has no template at this link.');

/** The failure about a provider that did not respond. `why` is for the log. */
export const providerUnavailable = (why: string, retryAfterSec = providerRetrySec): Failure =>
  new Failure(
    'template_provider_unavailable',
    'The template provider did not return a readable response. Nothing was changed; try again later.',
    { retryAfterSec, cause: new Error(why) },
  );

/** The failure about a bot that the operator's blocks refuse. */
export const blocked = (): Failure =>
  new Failure('submission_blocked', 'The operator of this directory does not accept this bot.');

const exists = async (bots: BotStore, slug: string): Promise<Failure> => {
  const there = { slug, url: botPath(slug) };
  const { createdAtMs, isPending, removal } = await bots.historyOf(slug);
  if (removal !== undefined)
    return new Failure('bot_removed', `This template was in the directory, as ${slug}, and was removed.`, there);
  const extras = { ...there, created_at: timestamp(createdAtMs) };
  return isPending
    ? new Failure(
        'bot_exists',
        `This template was submitted before, as ${slug}, and waits for the operator’s approval.`,
        { ...extras, pending: true },
      )
    : new Failure('bot_exists', `This template is already in the directory, as ${slug}.`, extras);
};
