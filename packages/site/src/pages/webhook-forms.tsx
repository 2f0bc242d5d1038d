/** Register, check and remove: one URL each. The result is shown on the response, and nowhere else. */
import { Fragment } from 'preact';
import { limits } from '@bot-directory/contract/limits';
import { Alert } from '../parts/alert.tsx';
import { errorsOf, Field, FormAlert, Labelled, novalidate, typed, type NamedField } from '../parts/field.tsx';
import { choosableEvents, wishInWords, type Wish } from '../parts/wish.ts';
import { count, duration, time } from '../parts/words.ts';
import { Fold } from '../parts/fold.tsx';
import { integrationName } from '../parts/integration-names.ts';
import { Snippet } from '../parts/snippet.tsx';
import {
  emptyForm,
  secretFields,
  type FormState,
  type WebhookAction,
  type WebhookResult,
  type WebhooksView,
} from '../views.ts';

const forms: readonly {
  action: Exclude<WebhookAction, 'test' | 'resume'>;
  title: string;
  label: string;
  button: string;
  hint: string;
  note: string;
}[] = [
  {
    action: 'register',
    title: 'Register',
    label: 'URL to register',
    button: 'Register and ping',
    hint: 'HTTPS, on port 443 or any port from 1024.',
    note: 'Keep the URL to yourself: anyone who knows it can remove it. It is never shown.',
  },
  {
    action: 'status',
    title: 'Check',
    label: 'URL to check',
    button: 'Check',
    hint: 'The URL, exactly as it was registered.',
    note: 'Shows whether it is active, recent failures and the next attempt.',
  },
  {
    action: 'remove',
    title: 'Remove',
    label: 'URL to remove',
    button: 'Remove',
    hint: 'The URL, exactly as it was registered.',
    note: 'We stop sending to it at once.',
  },
];

/** The three forms; the one that was sent keeps its values. The response begins at its result, on phones too. */
export const WebhookForms = ({ view }: { view: WebhooksView }) => (
  <div class="hooks" id="forms">
    {view.result !== undefined && <Result result={view.result} />}
    {(view.action === 'test' || view.action === 'resume') && view.result === undefined && (
      <div id="result">
        <Refusal view={view} />
      </div>
    )}
    {forms.map(({ action, title, label, button, hint, note }) => {
      const isSent = view.action === action;
      const form = isSent ? view.form : emptyForm;
      return (
        <form
          key={action}
          class="form form-line"
          {...(action === 'register' ? { 'data-register': true } : {})}
          {...(isSent && view.result === undefined ? { id: 'result' } : {})}
          method="post"
          action="/webhooks#result"
          {...novalidate(form)}
        >
          <h2 id={`${action}-title`}>{title}</h2>
          {isSent && <Refusal view={view} />}
          <input type="hidden" name="action" value={action} />
          <Field
            form={form}
            name="url"
            id={`${action}-url`}
            type="url"
            label={label}
            isRequired
            maxLength={limits.urlLength}
            autocomplete="url"
            placeholder="https://"
            hint={hint}
          />
          {action === 'register' && (
            <>
              <Format form={form} samples={view.samples} />
              <Wishes form={form} />
              <More form={form} />
            </>
          )}
          <button class={action === 'register' ? 'button' : 'button quiet'} type="submit">
            {button}
          </button>
          <p class="fine">{note}</p>
        </form>
      );
    })}
  </div>
);

const fieldsOf = (action: WebhookAction | undefined): NamedField[] => [
  { name: 'url', id: `${action ?? ''}-url`, label: 'URL' },
  { name: 'secret', id: 'register-secret', label: 'Secret' },
  { name: 'headers', id: 'register-headers', label: 'Headers' },
  ...wishes.map(({ name, label }) => ({ name, id: `register-${name.slice(7)}`, label })),
  { name: 'events', id: 'register-events', label: 'Events' },
  { name: 'format', id: 'register-format', label: 'In which form' },
];

const wishes = [
  { name: 'filter/category', label: 'Categories', hint: 'Any of these, separated by commas.' },
  { name: 'filter/integration', label: 'Integrations', hint: 'All of these, separated by commas.' },
  { name: 'filter/author', label: 'Author', hint: 'For example @ada.' },
  { name: 'filter/q', label: 'Words', hint: 'In the name, description, author, integrations or categories.' },
] as const;

/** Which events, about which bots; and both in words, which the script keeps up to date. */
const Wishes = ({ form }: { form: FormState }) => {
  const ticked = new Set(form.values.events ?? ['bot.created']);
  return (
    <fieldset class="field" id="register-events" tabIndex={-1}>
      <legend>Which events and bots</legend>
      <div class="ticks">
        {choosableEvents.map(([type, word]) => (
          <label key={type}>
            <input type="checkbox" name="events" value={type} checked={ticked.has(type)} />
            {`${word.charAt(0).toUpperCase()}${word.slice(1)} bots`}
          </label>
        ))}
      </div>
      <div class="row">
        {wishes.map(({ name, ...field }) => (
          <Field key={name} form={form} name={name} id={`register-${name.slice(7)}`} {...field} />
        ))}
      </div>
      <p class="wish">
        We’ll send <bdi data-wish>{wishInWords(wishOf(form))}</bdi>.
      </p>
    </fieldset>
  );
};

const listed = (form: FormState, name: string): string[] =>
  typed(form, name)
    .split(',')
    .flatMap((one) => one.trim() || []);

/** What was asked for, as it was typed. */
const wishOf = (form: FormState): Wish => ({
  events: form.values.events ?? [],
  category: listed(form, 'filter/category'),
  integration: listed(form, 'filter/integration'),
  author: typed(form, 'filter/author'),
  q: typed(form, 'filter/q'),
});

const formats: readonly (readonly [value: string, label: string])[] = [
  ['', 'JSON'],
  ['slack', 'Slack'],
  ['discord', 'Discord'],
  ['teams', 'Teams'],
  ['google-chat', 'Google Chat'],
  ['cloudevents', 'CloudEvents'],
];

/** The formats, each with what it sends: the chosen one shows, with and without the script. */
const Format = ({ form, samples }: { form: FormState; samples: WebhooksView['samples'] }) => {
  const errors = errorsOf(form, 'format');
  const chosen = typed(form, 'format');
  return (
    <fieldset
      class={errors.length > 0 ? 'field field-wrong' : 'field'}
      id="register-format"
      tabIndex={-1}
      {...(errors.length > 0 ? { 'aria-describedby': 'format-error' } : {})}
    >
      <legend>In which form</legend>
      {errors.length > 0 && (
        <p class="field-error" id="format-error">
          {errors.join(' ')}
        </p>
      )}
      <div class="formats">
        {formats.map(([value, label]) => (
          <Fragment key={value}>
            <input
              type="radio"
              id={`format-${value || 'json'}`}
              name="format"
              value={value}
              checked={chosen === value}
            />
            <label for={`format-${value || 'json'}`}>{label}</label>
            <div>
              <Snippet label={`A new bot as ${label}`} code={samples[value] ?? ''} />
            </div>
          </Fragment>
        ))}
      </div>
    </fieldset>
  );
};

/** Asks for a secret field again if it was filled in. */
const again = (form: FormState, name: string): string =>
  form.values[name] === undefined ? '' : 'Type it again: we never send secrets back. ';

/** What few need; open if something in it was refused or typed. What is secret is not shown again. */
const More = ({ form }: { form: FormState }) => {
  const isTyped = secretFields.some((name) => form.values[name] !== undefined) || typed(form, 'resume') === 'next';
  return (
    <Fold icon="plus" title="More" isOpen={isTyped || secretFields.some((name) => errorsOf(form, name).length > 0)}>
      <Field
        form={{ ...form, values: {} }}
        name="secret"
        id="register-secret"
        label="Your own secret"
        hint={`${again(form, 'secret')}whsec_ and ${limits.secretMinBytes} to ${limits.secretMaxBytes} bytes in base64. Deliveries are then signed with it too (v1). Most subscribers don’t need one.`}
      />
      <Labelled
        id="register-headers"
        label="Headers to send"
        hint={`${again(form, 'headers')}One a line, such as X-Api-Key: 5f2c0a9e, at most ${limits.headersPerWebhook}. For a gateway that wants a key; never shown.`}
        errors={errorsOf(form, 'headers')}
      >
        {(aria) => (
          <textarea
            id="register-headers"
            name="headers"
            rows={2}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            {...aria}
          />
        )}
      </Labelled>
      <div class="ticks">
        <label>
          <input type="checkbox" name="resume" value="next" checked={typed(form, 'resume') === 'next'} />
          If we stopped calling this URL, skip the event that it refused
        </label>
      </div>
    </Fold>
  );
};

const Refusal = ({ view: { action, form, pingFailure } }: { view: WebhooksView }) => {
  if (form.problem?.code === 'webhook_exists')
    return <Alert kind="warning" title="Already registered and active. We sent no ping." />;
  if (form.problem?.code === 'webhook_not_found') return <Alert kind="error" title="This URL is not registered." />;
  if (form.problem?.code === 'webhook_ping_failed')
    return (
      <Alert kind="error" title="The ping failed">
        <p>
          {form.problem.detail}
          {pingFailure === 'status' && ' An address of a chat needs the format of that chat.'}
        </p>
      </Alert>
    );
  return <FormAlert form={form} fields={fieldsOf(action)} />;
};

/** Slugs of integrations by their names. */
const inWords = (wish: Wish): string => wishInWords({ ...wish, integration: wish.integration.map(integrationName) });

const formatName = (format: string): string => formats.find(([value]) => value === format)?.[1] ?? format;

type Status = Extract<WebhookResult, { of: 'status' }>;

const StatusFacts = ({ result }: { result: Status }) => (
  <dl class="facts">
    <div>
      <dt>We send it</dt>
      <dd>
        <bdi>{inWords(result.wish)}</bdi>, as {formatName(result.format ?? '')}
      </dd>
    </div>
    <div>
      <dt>Failures in a row</dt>
      <dd>{result.failures}</dd>
    </div>
    <div>
      <dt>Events waiting</dt>
      <dd>{count(result.pending, 'event')}</dd>
    </div>
    <div>
      <dt>Last failure</dt>
      <dd>{result.lastFailure ?? 'None'}</dd>
    </div>
    <div>
      <dt>Next attempt</dt>
      <dd>{result.nextAttemptAt === null ? 'None scheduled' : time(result.nextAttemptAt)}</dd>
    </div>
  </dl>
);

const Attempts = ({ result: { attempts } }: { result: Status }) => (
  <div class="table" role="region" aria-label="Last deliveries" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Last deliveries</th>
          <th scope="col">Response</th>
          <th scope="col">Took</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map(({ at, result, durationMs }, i) => (
          <tr key={i}>
            <td>{time(at)}</td>
            <td>{result}</td>
            <td>{duration(durationMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const registeredTitles: Readonly<Record<string, string>> = {
  replaced: 'Changed. Your endpoint responded to the ping.',
  resumed: 'It continues now. Your endpoint responded to the ping.',
};

/** One button about the URL of a result. */
const Button = ({ action, url, label }: { action: WebhookAction; url: string; label: string }) => (
  <form method="post" action="/webhooks#result">
    <input type="hidden" name="action" value={action} />
    <input type="hidden" name="url" value={url} />
    <button class="button quiet" type="submit">
      {label}
    </button>
  </form>
);

const Result = ({ result }: { result: WebhookResult }) => {
  if (result.of === 'register')
    return (
      <Alert
        id="result"
        kind="success"
        title={registeredTitles[result.outcome] ?? 'Registered. Your endpoint responded to the ping.'}
      >
        <p class="break">{result.url}</p>
        <p class="fine">
          Its id is <span class="mono">{result.id}</span>. We’ll send it <bdi>{inWords(result.wish)}</bdi> from now on,
          as {formatName(result.format)}
          {result.hasSecret && ', signed with your secret too'}
          {result.hasHeaders && ', with your headers'}.
        </p>
      </Alert>
    );
  if (result.of === 'test')
    return (
      <Alert
        id="result"
        kind={result.isAccepted ? 'success' : 'error'}
        title={result.isAccepted ? 'Your endpoint accepted the ping' : 'The ping failed'}
      >
        <p class="break">{result.url}</p>
        <p>
          {result.detail} It took {duration(result.durationMs)}.
        </p>
      </Alert>
    );
  if (result.of === 'remove')
    return (
      <Alert id="result" kind="success" title="Removed. We no longer send to it.">
        <p class="break">{result.url}</p>
      </Alert>
    );
  const isActive = result.state === 'active';
  return (
    <Alert
      id="result"
      kind={isActive ? 'success' : 'warning'}
      title={isActive ? 'Active' : 'Stopped after ten failures in a row'}
    >
      <p class="break">{result.url}</p>
      <StatusFacts result={result} />
      {result.skipped.length > 0 && <p class="break">Skipped, since it refused them: {result.skipped.join(', ')}</p>}
      {result.attempts.length > 0 && <Attempts result={result} />}
      <div class="row">
        <Button action="test" url={result.url} label="Send a test ping" />
        {(!isActive || result.nextAttemptAt !== null) && (
          <Button action="resume" url={result.url} label="Ping it and continue now" />
        )}
      </div>
    </Alert>
  );
};
