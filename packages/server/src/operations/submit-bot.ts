/** Submits a bot: it is not there already, its template is found, and it is published with its event in one step. */
import type { Published } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Ids } from '../base/ids.ts';
import type { Author } from '../domain/author.ts';
import { botPath, type BotDraft } from '../domain/bot.ts';
import type { IntegrationSlug } from '../domain/integrations.ts';
import { slugFor } from '../domain/slug.ts';
import type { TemplateId } from '../domain/template-link.ts';
import type { TemplatePage } from '../domain/template-page.ts';
import type { FetchTemplate } from '../outbound/fetch-template.ts';
import type { BotStore } from '../store/bot-store.ts';

/** A submission whose every field was read. `integrations: undefined` asks for those of the template. */
export type Submission = {
  readonly link: { readonly templateId: TemplateId; readonly link: string };
  readonly author: Author | null;
  readonly sourceUrl: string | null;
  readonly integrations: readonly IntegrationSlug[] | undefined;
  readonly categories: readonly string[];
};

type Deps = {
  readonly bots: BotStore;
  readonly fetchTemplate: FetchTemplate;
  readonly ids: Ids;
};

/** Seconds after which a caller should ask a provider that did not answer again. */
const providerRetrySec = 30;

/** Publishes a bot. Failures: bot_exists, template_not_found, template_provider_unavailable. */
export const submitBot = async ({ bots, fetchTemplate, ids }: Deps, submission: Submission): Promise<Published> => {
  const known = await bots.slugOfTemplate(submission.link.templateId);
  if (known !== null) throw exists(known);

  const page = await templatePage(fetchTemplate, submission.link.templateId);
  const id = ids.bot();
  const draft: BotDraft = {
    id,
    ...submission.link,
    wantedSlug: slugFor(page.name, id),
    name: page.name,
    description: page.description,
    author: submission.author,
    sourceUrl: submission.sourceUrl,
    integrations: submission.integrations ?? page.integrations,
    categories: submission.categories,
  };
  const { outcome, slug } = await bots.publish(draft, ids.event());
  if (outcome === 'exists') throw exists(slug);
  return { slug, url: botPath(slug) };
};

const templatePage = async (fetchTemplate: FetchTemplate, id: TemplateId): Promise<TemplatePage> => {
  const found = await fetchTemplate(id);
  if (found.outcome === 'found') return found.page;
  if (found.outcome === 'missing')
    throw new Failure('template_not_found', 'The template provider has no template at this link.');
  throw new Failure(
    'template_provider_unavailable',
    'The template provider gave no readable answer. Nothing was published; try again later.',
    {
      retryAfterSec: providerRetrySec,
      cause: new Error(found.why),
    },
  );
};

const exists = (slug: string): Failure =>
  new Failure('bot_exists', `This template is in the directory already, as ${slug}.`, { slug, url: botPath(slug) });
