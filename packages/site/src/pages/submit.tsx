/** The form for a new bot, its errors, and what happens next. */
import type { SubmittedField } from '@bot-directory/contract';
import { limits } from '@bot-directory/contract/limits';
import { Card } from '../parts/card.tsx';
import { Field, FormAlert, errorsOf, novalidate } from '../parts/field.tsx';
import { Alert } from '../parts/alert.tsx';
import { Layout } from '../parts/layout.tsx';
import { Snippet } from '../parts/snippet.tsx';
import type { FormState, Frame, SubmitView } from '../views.ts';

type Props = { readonly frame: Frame; readonly view: SubmitView };

const labels = {
  link: 'Template link',
  author: 'Your handle',
  source_url: 'Post about it',
  integrations: 'Integrations',
  categories: 'Categories',
} satisfies Record<SubmittedField, string>;
const fields = Object.entries(labels).map(([name, label]) => ({ name, label }));

/** The page. If it has errors, its title says so, because screen readers read the title first. */
export const SubmitPage = ({ frame, view }: Props) => {
  const isRefused = view.form.errors.length > 0 || view.form.problem !== undefined || view.existing !== undefined;
  return (
    <Layout
      frame={frame}
      title={isRefused ? 'Error: Submit a bot' : 'Submit a bot'}
      description="Paste a template’s link and it is published: no account, no key, no fee."
      path={isRefused || view.isPending === true ? undefined : '/submit'}
      section="submit"
    >
      <div class="text">
        <h1>Submit a bot</h1>
        <p class="lede">Paste the template’s link. Name, description and integrations are read from it.</p>
      </div>
      {view.isPending === true && (
        <Alert kind="success" title="Submitted">
          <p>It is published as soon as whoever runs this directory has looked at it.</p>
        </Alert>
      )}
      {view.isOpen ? (
        <div class="form-and-notes">
          <SubmitForm frame={frame} view={view} />
          <Notes frame={frame} />
        </div>
      ) : (
        <Alert kind="warning" title="This directory saves nothing now, so no bot can be submitted." />
      )}
    </Layout>
  );
};

const SubmitForm = ({ frame, view: { form, existing, categories } }: Props) => (
  <form class="form" method="post" action="/submit" {...novalidate(form)}>
    {existing === undefined ? (
      <FormAlert form={form} fields={fields} />
    ) : (
      <Alert kind="warning" title="This bot is here already">
        <ul class="cards cards-one">
          <Card bot={existing} level={2} />
        </ul>
      </Alert>
    )}
    <Field
      form={form}
      name="link"
      type="url"
      label={labels.link}
      isRequired
      maxLength={limits.urlLength}
      autocomplete="url"
      hint={
        <>
          As the provider shows it: <code>https://{frame.templateHost}/bot/…</code>
        </>
      }
    />
    <Field form={form} name="author" label={labels.author} hint="Such as @ada. It is shown as the author." />
    <Field
      form={form}
      name="source_url"
      type="url"
      label={labels.source_url}
      autocomplete="url"
      hint={
        <>
          A status on {frame.socialHost}: <code>https://{frame.socialHost}/ada/status/…</code>
        </>
      }
    />
    <Field
      form={form}
      name="integrations"
      label={labels.integrations}
      hint={`Separated by commas, at most ${limits.integrationsPerBot}. Left empty, those the template tells are taken.`}
    />
    <Categories form={form} categories={categories} />
    <button class="button button-big" type="submit">
      Publish bot
    </button>
  </form>
);

const Categories = ({ form, categories }: { form: FormState; categories: readonly string[] }) => {
  const errors = errorsOf(form, 'categories');
  const ticked = new Set(form.values.categories ?? []);
  return (
    <fieldset
      class={errors.length > 0 ? 'field field-wrong' : 'field'}
      id="categories"
      tabIndex={-1}
      aria-describedby={errors.length > 0 ? 'categories-hint categories-error' : 'categories-hint'}
    >
      <legend>
        {labels.categories} <span class="optional">(optional)</span>
      </legend>
      <p class="hint" id="categories-hint">
        Up to {limits.categoriesPerBot}.
      </p>
      {errors.length > 0 && (
        <p class="field-error" id="categories-error">
          {errors.join(' ')}
        </p>
      )}
      <div class="ticks">
        {categories.map((name) => (
          <label key={name}>
            <input type="checkbox" name="categories" value={name} checked={ticked.has(name)} />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
};

const Notes = ({ frame }: { frame: Frame }) => (
  <aside class="notes" aria-label="Good to know">
    <h2>What happens next</h2>
    <ol>
      <li>The template is read, once.</li>
      <li>The bot has its page at once, and is first in the list.</li>
      <li>Every webhook is told of it.</li>
    </ol>
    <h2>Rules</h2>
    <ul>
      <li>The template can be opened by anyone.</li>
      <li>A template is listed once, whoever submits it.</li>
      <li>Anyone may submit, also templates of others.</li>
    </ul>
    <h2>Or with curl</h2>
    <Snippet
      label="Submit with curl"
      code={`curl -sS ${frame.baseUrl}/api/bots/submit \\\n  -H 'Content-Type: application/json' \\\n  -d '{"link":"https://${frame.templateHost}/bot/<template_id>"}'`}
    />
  </aside>
);
