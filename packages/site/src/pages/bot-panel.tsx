/** The side panel of a bot: the install button, facts, and the form that reports it. */
import type { Bot } from '@bot-directory/contract';
import { limits } from '@bot-directory/contract/limits';
import { FormAlert, Labelled, errorsOf, novalidate, typed } from '../parts/field.tsx';
import { to } from '../parts/href.ts';
import { Icon } from '../parts/icon.tsx';
import { Outside } from '../parts/outside.tsx';
import { date, handleOf, number, reasonText } from '../parts/words.ts';
import type { Frame, ReportView } from '../views.ts';

/** On phones it follows the description, elsewhere it is at the side. */
export const Panel = ({ frame, bot, report }: { frame: Frame; bot: Bot; report: ReportView | undefined }) => (
  <aside class="panel" aria-label="Install and facts">
    <form method="post" action={to.install(bot.slug)}>
      <button class="button button-big" type="submit">
        <Icon name="download" />
        Install
      </button>
    </form>
    <p class="fine">Opens the template at {frame.templateHost}.</p>
    <dl class="facts">
      <div>
        <dt>Installs</dt>
        <dd>
          {number(bot.install_count)}
          <a class="facts-note" href="/about#counting">
            How we count
          </a>
        </dd>
      </div>
      <div>
        <dt>Added</dt>
        <dd>
          <time dateTime={bot.created_at}>{date(bot.created_at)}</time>
        </dd>
      </div>
      {bot.source_url !== null && (
        <div>
          <dt>Announced</dt>
          <dd>
            <Outside url={bot.source_url}>
              <bdi>@{handleOf(bot.source_url)}</bdi>’s post on {frame.socialHost}
            </Outside>
          </dd>
        </div>
      )}
      <div>
        <dt>Slug</dt>
        <dd class="mono">{bot.slug}</dd>
      </div>
    </dl>
    <p class="fine">
      <a href="/corrections">Correct or remove this listing</a>
    </p>
    {report !== undefined && <Report slug={bot.slug} report={report} />}
  </aside>
);

const reasonFields = [
  { name: 'reason', id: 'report-reason', label: 'Reason' },
  { name: 'text', id: 'report-text', label: 'Details' },
];

const Report = ({ slug, report: { reasons, form } }: { slug: string; report: ReportView }) => {
  const isOpen = form.errors.length > 0 || form.problem !== undefined;
  return (
    <details class="report" id="report" open={isOpen}>
      <summary>
        <Icon name="flag" />
        Report this bot
      </summary>
      <form method="post" action={to.reports(slug)} class="form" {...novalidate(form)}>
        <FormAlert form={form} fields={reasonFields} />
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
        <button class="button quiet" type="submit">
          Send report
        </button>
      </form>
    </details>
  );
};
