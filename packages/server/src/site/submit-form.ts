/** The form that submits a bot. */
import type { RequestHandler } from 'express';
import type { FormState } from '@bot-directory/site';
import type { Failure } from '../base/failure.ts';
import type { FormActions } from './form-actions.ts';
import {
  failureOf,
  fieldOf,
  filled,
  leadOn,
  refusedField,
  refusedForm,
  requestIdOf,
  sendAnswer,
  sendRefusal,
  typedIn,
} from './form.ts';
import type { Typed } from './form.ts';
import { sendablePage, type Site } from './site.ts';

/** Publishes a bot and leads to its page, or shows the form again with what was wrong. */
export const submitForm =
  (site: Site, { submitBot }: Pick<FormActions, 'submitBot'>): RequestHandler =>
  async (req, res) => {
    const typed = typedIn(req);
    try {
      const { url, pending } = await submitBot(submissionOf(typed));
      if (!pending) {
        leadOn(res, `${url}#published`);
        return;
      }
      const { categories, isOpen } = site;
      const form = { values: {}, errors: [], problem: undefined };
      sendAnswer(
        res,
        200,
        sendablePage(site, { page: 'submit', isOpen, isPending: true, form, existing: undefined, categories }),
      );
    } catch (error) {
      const failure = failureOf(error);
      const form = formOf(typed, failure, requestIdOf(res));
      const existing = await existingBot(site, failure);
      const { categories, isOpen } = site;
      sendRefusal(res, failure, sendablePage(site, { page: 'submit', isOpen, form, existing, categories }));
    }
  };

const submissionOf = (typed: Typed): Record<string, unknown> => {
  const integrations = (typed.get('integrations') ?? '').split(',').map((name) => name.trim());
  const named = integrations.filter((name) => name !== '');
  const categories = typed.getAll('categories');
  return filled({
    link: fieldOf(typed, 'link'),
    author: fieldOf(typed, 'author'),
    source_url: fieldOf(typed, 'source_url'),
    integrations: named.length === 0 ? undefined : named,
    categories: categories.length === 0 ? undefined : categories,
  });
};

const formOf = (typed: Typed, failure: Failure, requestId: string): FormState =>
  failure.code === 'template_not_found'
    ? refusedField(typed, failure, '/link')
    : refusedForm(typed, failure, requestId);

const existingBot = async ({ directory }: Site, { code, extras }: Failure) => {
  if (code !== 'bot_exists' || extras.slug === undefined) return undefined;
  await directory.fresh().catch(() => undefined);
  return directory.bySlug(extras.slug)?.bot;
};
