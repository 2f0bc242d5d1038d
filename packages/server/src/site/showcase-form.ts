/** The form that adds a post to the showcase. */
import type { RequestHandler } from 'express';
import type { FormActions } from './form-actions.ts';
import {
  failureOf,
  fieldOf,
  filled,
  leadOn,
  refusedField,
  refusedForm,
  requestIdOf,
  sendRefusal,
  typedIn,
} from './form.ts';
import { showcaseWith } from './showcase-page.ts';
import type { Site } from './site.ts';

/** Adds a post and leads to the list, or shows both again with what was wrong. */
export const showcaseForm =
  (site: Site, { addPost }: Pick<FormActions, 'addPost'>): RequestHandler =>
  async (req, res) => {
    const typed = typedIn(req);
    try {
      await addPost(filled({ url: fieldOf(typed, 'url') }));
      leadOn(res, '/feed#added');
    } catch (error) {
      const failure = failureOf(error);
      const form =
        failure.code === 'post_exists'
          ? refusedField(typed, failure, '/url')
          : refusedForm(typed, failure, requestIdOf(res));
      await site.directory.fresh().catch(() => undefined);
      sendRefusal(res, failure, showcaseWith(site, form));
    }
  };
