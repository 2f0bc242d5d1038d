/** The forms by which anyone keeps a bot's page up to date, and the one that reports it. */
import type { Bot } from '@bot-directory/contract';
import { limits } from '@bot-directory/contract/limits';
import { Field, FormAlert, Labelled, errorsOf, novalidate, typed } from '../parts/field.tsx';
import { to } from '../parts/href.ts';
import { reasonText } from '../parts/words.ts';
import { emptyForm, type BotForm, type BotForms, type FormState, type Frame } from '../views.ts';

const stateOf = ({ refused }: BotForms, name: BotForm): FormState =>
  refused?.name === name ? refused.form : emptyForm;

/** Adds an integration, and reads the template again. */
export const Improve = ({ frame, bot, forms }: { frame: Frame; bot: Bot; forms: BotForms }) => {
  const added = stateOf(forms, 'integrations');
  const refreshed = stateOf(forms, 'refresh');
  return (
    <div class="row">
      <form
        id="integrations"
        class="form form-line"
        method="post"
        action={to.botForm(bot.slug, 'integrations')}
        {...novalidate(added)}
      >
        <FormAlert form={added} fields={[{ name: 'integrations', id: 'integration', label: 'Add an integration' }]} />
        <Field
          form={added}
          name="integrations"
          id="integration"
          label="Add an integration"
          isRequired
          list="suggested"
          hint="For example Slack. Anyone can add one."
        />
        <datalist id="suggested">
          {forms.suggestions.map((slug) => (
            <option key={slug} value={slug} label={frame.integrationName(slug)} />
          ))}
        </datalist>
        <button class="button quiet" type="submit">
          Add
        </button>
      </form>
      <form id="refresh" class="form form-line" method="post" action={to.botForm(bot.slug, 'refresh')}>
        <FormAlert form={refreshed} fields={[]} />
        <div class="field">
          <strong>Did the template change?</strong>
          <p class="hint">
            We read it at {frame.templateHost} again, at most once in {limits.refreshSec / 60} minutes: its name,
            description and integrations.
          </p>
        </div>
        <button class="button quiet" type="submit">
          Refresh from the template
        </button>
      </form>
    </div>
  );
};

/** For `FormAlert`. */
export const reasonFields = [
  { name: 'reason', id: 'report-reason', label: 'Reason' },
  { name: 'text', id: 'report-text', label: 'Details' },
];

/** Reason and details of a report. */
export const ReportFields = ({ form, reasons }: { form: FormState; reasons: readonly string[] }) => (
  <>
    <Labelled id="report-reason" label="Reason" isRequired errors={errorsOf(form, 'reason')}>
      {(aria) => (
        <select id="report-reason" name="reason" required {...aria}>
          <option value="">Choose a reason</option>
          {reasons.map((reason) => (
            <option key={reason} value={reason} selected={typed(form, 'reason') === reason}>
              {reasonText(reason)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
    <Labelled
      id="report-text"
      label="Details"
      hint="Up to 1,000 characters. Don’t include personal information."
      errors={errorsOf(form, 'text')}
    >
      {(aria) => (
        <textarea id="report-text" name="text" rows={4} maxLength={limits.reportLength} {...aria}>
          {typed(form, 'text')}
        </textarea>
      )}
    </Labelled>
  </>
);

/** Reports the bot. */
export const Report = ({ slug, forms }: { slug: string; forms: BotForms }) => {
  const form = stateOf(forms, 'reports');
  return (
    <form method="post" action={to.botForm(slug, 'reports')} class="form" {...novalidate(form)}>
      <FormAlert form={form} fields={reasonFields} />
      <ReportFields form={form} reasons={forms.reasons} />
      <button class="button quiet" type="submit">
        Send report
      </button>
    </form>
  );
};
