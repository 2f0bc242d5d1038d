/** The form that adds a post to the showcase. */
import type { FormActions } from './form-actions.ts';
import { fieldOf, filled, refusedField, takeForm } from './form.ts';
import { showcaseWith } from './showcase-page.ts';
import type { Site } from './site.ts';

/** Adds a post and redirects to the list, or shows the form again with the errors. */
export const showcaseForm = (site: Site, { addPost }: Pick<FormActions, 'addPost'>) =>
  takeForm(
    async (typed) => {
      await addPost(filled({ url: fieldOf(typed, 'url') }));
      return { leadTo: '/feed#added' };
    },
    async (refusal) => {
      const isKnown = refusal.failure.code === 'post_exists';
      await site.directory.fresh().catch(() => undefined);
      return showcaseWith(site, isKnown ? refusedField(refusal, '/url') : refusal.form);
    },
  );
