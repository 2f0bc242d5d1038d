/** The page that submits a bot, which is a form. */
import type { SubmittedField } from '@bot-directory/contract';
import { emptyForm, type SubmitView } from '@bot-directory/site';
import type { Failure } from '../base/failure.ts';
import type { BoundOperations } from '../operations/index.ts';
import { rowOf } from '../reads/read.ts';
import { fieldOf, filled, namesOf, refusedField, takeForm, typedForm, type Typed } from './form.ts';
import type { Sendable } from '../http/problems.ts';
import { sendablePage, type Site } from './site.ts';

/** The page, before anything was sent. */
export const submitPage = rowOf('/submit', (site: Site) => submitView(site));

/**
 * Shows the bot that would be published; then publishes it and redirects to its page. Errors are shown in the form.
 */
export const submitForm = (site: Site, { submitBot }: Pick<BoundOperations, 'submitBot'>) =>
  takeForm(
    async (typed) => {
      const dryRun = typed.get('step') === 'preview';
      const { url, pending, preview } = await submitBot.take({ ...submissionOf(typed), dry_run: dryRun });
      if (dryRun) return { page: submitView(site, { form: typedForm(typed), preview }) };
      return pending ? { page: submitView(site, { isPending: true }) } : { redirectTo: `${url}#published` };
    },
    async (refusal) => {
      const { failure } = refusal;
      const form = failure.code === 'template_not_found' ? refusedField(refusal, '/link') : refusal.form;
      return submitView(site, { form, existing: await existingBot(site, failure) });
    },
  );

const submitView = (site: Site, sent: Partial<SubmitView> = {}): Sendable => {
  const { categories } = site;
  return sendablePage(site, { page: 'submit', form: emptyForm, existing: undefined, categories, ...sent });
};

const submissionOf = (typed: Typed): Record<string, unknown> => {
  const categories = typed.getAll('categories');
  return filled({
    link: fieldOf(typed, 'link'),
    author: fieldOf(typed, 'author'),
    source_url: fieldOf(typed, 'source_url'),
    integrations: namesOf(typed, 'integrations'),
    categories: categories.length === 0 ? undefined : categories,
  } satisfies Record<SubmittedField, unknown>);
};

const existingBot = async ({ directory }: Site, { code, extras }: Failure) => {
  if (code !== 'bot_exists' || extras.slug === undefined) return undefined;
  await directory.fresh().catch(() => undefined);
  return directory.bySlug(extras.slug)?.bot;
};
