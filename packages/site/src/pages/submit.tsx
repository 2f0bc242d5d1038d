/** The form for a new bot, its preview, its errors, and what happens next. */
import type { Bot, BotPreview, SubmittedField } from '@bot-directory/contract';
import { limits } from '@bot-directory/contract/limits';
import { Card, shownIn } from '../parts/card.tsx';
import { Chips } from '../parts/chips.tsx';
import { Cover } from '../parts/cover.tsx';
import { Field, FormAlert, errorsOf, novalidate, typed } from '../parts/field.tsx';
import { Alert } from '../parts/alert.tsx';
import { Integration, Marked, Sprite } from '../parts/integration.tsx';
import { Names } from '../parts/names.ts';
import { to } from '../parts/href.ts';
import { Layout } from '../parts/layout.tsx';
import { Snippet } from '../parts/snippet.tsx';
import type { FormState, Frame, SubmitView } from '../views.ts';

type Props = { readonly frame: Frame; readonly view: SubmitView };

const labels = {
  link: 'Template link',
  author: 'Your handle',
  source_url: 'Announcement',
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
      description={`Paste a template link to ${frame.submissions === 'reviewed' ? 'submit' : 'publish'} a bot. No account, no key, no fee.`}
      path={isRefused || view.preview !== undefined || view.isPending === true ? undefined : '/submit'}
      section="submit"
      head={<script defer src={to.asset(frame.assets.formsScript)} />}
    >
      <div class="text">
        <h1>Submit a bot</h1>
        <p class="lede">Paste the template link. We’ll take the name, description and integrations from it.</p>
      </div>
      {view.isPending === true && (
        <Alert kind="success" title="Submitted">
          <p>It will appear once the operator has reviewed it.</p>
        </Alert>
      )}
      {frame.submissions !== 'closed' ? (
        <div class="form-and-notes">
          <div data-submission={frame.templateHost} {...keeping(view)}>
            <Names.Provider value={(slug) => frame.integrationName(slug, view.written?.get(slug))}>
              <SubmitForm frame={frame} view={view} />
            </Names.Provider>
          </div>
          <Notes frame={frame} />
        </div>
      ) : (
        <Alert kind="warning" title="Submissions are closed right now." />
      )}
    </Layout>
  );
};

/** What the script that keeps what is typed does with it: `restore` it, or `forget` what was submitted. */
const keeping = ({ form, isPending = false }: SubmitView): { 'data-kept'?: string } => {
  if (isPending) return { 'data-kept': 'forget' };
  return Object.keys(form.values).length === 0 ? { 'data-kept': 'restore' } : {};
};

/** The form. Its parts are what the preview of another link replaces. */
const SubmitForm = ({ frame, view: { form, existing, categories, preview, found, suggested = [] } }: Props) => (
  <form class="form" method="post" action="/submit" {...novalidate(form)}>
    <Marked
      of={[...(preview?.integrations ?? []), ...(found ?? []), ...shownIn(existing === undefined ? [] : [existing])]}
    >
      <div data-part="top">
        <Sprite />
        {preview !== undefined && <Preview bot={preview} />}
        {existing === undefined ? <FormAlert form={form} fields={fields} /> : <Existing bot={existing} />}
      </div>
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
            For example: <code>https://{frame.templateHost}/bot/…</code>
          </>
        }
      />
      <Field form={form} name="author" label={labels.author} hint="For example @ada. Shown as the author." />
      <Field
        form={form}
        name="source_url"
        type="url"
        label={labels.source_url}
        autocomplete="url"
        hint={
          <>
            A post on {frame.socialHost}, for example <code>https://{frame.socialHost}/ada/status/…</code>
          </>
        }
      />
      <div data-part="integrations">
        <Integrations form={form} found={found} />
      </div>
    </Marked>
    <div data-part="categories" {...(form.values.categories === undefined ? {} : { 'data-own': true })}>
      <Categories form={form} categories={categories} suggested={suggested} />
    </div>
    <div data-part="buttons">
      <Buttons frame={frame} isPreviewed={preview !== undefined} />
    </div>
  </form>
);

const Existing = ({ bot }: { bot: Bot }) => (
  <Alert kind="warning" title="This bot is already listed">
    <ul class="cards">
      <Card bot={bot} level={2} />
    </ul>
  </Alert>
);

const Buttons = ({ frame, isPreviewed }: { frame: Frame; isPreviewed: boolean }) =>
  isPreviewed ? (
    <>
      <button class="button button-big" type="submit">
        {frame.submissions === 'reviewed' ? 'Submit for review' : 'Publish bot'}
      </button>
      <button class="button quiet" type="submit" name="step" value="preview">
        Preview again
      </button>
    </>
  ) : (
    <button class="button button-big" type="submit" name="step" value="preview">
      Preview
    </button>
  );

/** The bot as it would be listed, with nothing cut off. */
const Preview = ({ bot }: { bot: BotPreview }) => (
  <Alert kind="success" title="Preview: nothing is published yet">
    <div class="card">
      <div class="card-head">
        <Cover of={bot.slug} name={bot.name} />
        <div>
          <h2 dir="auto">{bot.name}</h2>
          {bot.author !== null && <p class="card-author">by {bot.author}</p>}
        </div>
      </div>
      <p dir="auto">{bot.description || 'This template has no description.'}</p>
      {bot.categories.length + bot.integrations.length > 0 && (
        <ul class="chips">
          <Chips categories={bot.categories} integrations={bot.integrations} />
        </ul>
      )}
      <p class="fine">
        <code>{bot.url}</code>
      </p>
    </div>
    <p>Name and description are the template’s: change them there, and preview again.</p>
  </Alert>
);

/** What the template lists, to untick, which counts for this link only; and a field for others. */
const Integrations = ({ form, found }: { form: FormState; found: readonly string[] | undefined }) => {
  const isAny = found !== undefined && found.length > 0;
  const most = `Separated by commas, at most ${limits.integrationsPerBot}${isAny ? ' in all' : ''}.`;
  const field = (
    <>
      {found !== undefined && <input type="hidden" name="found_for" value={typed(form, 'link')} />}
      <Field
        form={form}
        name="integrations"
        label={isAny ? 'More integrations' : labels.integrations}
        hint={found === undefined ? `${most} Leave empty to use the ones the template lists.` : most}
      />
    </>
  );
  if (!isAny) return field;
  return (
    <fieldset class="field">
      <legend>{labels.integrations}</legend>
      <div class="chips picks">
        {found.map((slug) => (
          <label key={slug} class="chip chip-quiet">
            <input type="checkbox" name="found" value={slug} checked />
            <span>
              <Integration slug={slug} />
            </span>
          </label>
        ))}
      </div>
      {field}
    </fieldset>
  );
};

type CategoriesProps = {
  readonly form: FormState;
  readonly categories: readonly string[];
  readonly suggested: readonly string[];
};

/** Ticks what was chosen; what is suggested comes first, for somebody to tick. */
const Categories = ({ form, categories, suggested }: CategoriesProps) => {
  const errors = errorsOf(form, 'categories');
  const ticked = new Set(form.values.categories);
  const offered = categories.filter((name) => suggested.includes(name));
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
        {offered.length > 0 && `The description suggests ${offered.join(' and ')}. `}Choose up to{' '}
        {limits.categoriesPerBot}.
      </p>
      {errors.length > 0 && (
        <p class="field-error" id="categories-error">
          {errors.join(' ')}
        </p>
      )}
      <div class="ticks">
        {[...offered, ...categories.filter((name) => !offered.includes(name))].map((name) => (
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
      <li>We read the template once.</li>
      {frame.submissions === 'reviewed' ? (
        <>
          <li>The operator reviews your bot.</li>
          <li>Then it gets its own page, tops the list, and subscribers are notified.</li>
        </>
      ) : (
        <>
          <li>Your bot gets its own page and tops the list right away.</li>
          <li>Subscribers are notified.</li>
        </>
      )}
    </ol>
    <h2>Rules</h2>
    <ul>
      <li>Anyone can open the template.</li>
      <li>Each template is listed once, no matter who submits it.</li>
      <li>You can submit templates made by others.</li>
    </ul>
    <h2>Or with curl</h2>
    <Snippet
      label="Submit with curl"
      code={`curl -sS ${frame.baseUrl}/api/bots/submit \\\n  -H 'Content-Type: application/json' \\\n  -d '{"link":"https://${frame.templateHost}/bot/<template_id>"}'`}
    />
  </aside>
);
