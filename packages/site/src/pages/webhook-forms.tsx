/** Register, check and remove: one URL each. The result is shown on the response, and nowhere else. */
import { limits } from '@bot-directory/contract/limits';
import { Alert } from '../parts/alert.tsx';
import { errorsOf, Field, FormAlert, Labelled, novalidate, typed, type NamedField } from '../parts/field.tsx';
import { count, time } from '../parts/words.ts';
import { emptyForm, type FormState, type WebhookAction, type WebhookResult, type WebhooksView } from '../views.ts';

const forms: readonly {
  action: WebhookAction;
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

const failures: Readonly<Record<string, string>> = {
  dns: 'The name does not resolve.',
  connect: 'No connection could be made.',
  tls: 'The TLS handshake failed, or the certificate is not valid.',
  timeout: 'It did not respond in time.',
  response: 'Its response is not valid HTTP/1.1.',
  status: 'It responded, but not with a 2xx status.',
  forbidden_address: 'That address is private or reserved.',
};

/** The three forms; the one that was sent keeps its values. The response begins at its result, on phones too. */
export const WebhookForms = ({ view }: { view: WebhooksView }) => (
  <div class="hooks" id="forms">
    {view.result !== undefined && <Result result={view.result} />}
    {forms.map(({ action, title, label, button, hint, note }) => {
      const isSent = view.action === action;
      const form = isSent ? view.form : emptyForm;
      return (
        <form
          key={action}
          class="form form-line"
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
              <Format form={form} />
              <Wishes form={form} />
              <Secret form={form} />
              <div class="ticks">
                <label>
                  <input type="checkbox" name="resume" value="next" checked={typed(form, 'resume') === 'next'} />
                  Skip the event that fails
                </label>
              </div>
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
  ...wishes.map(({ name, label }) => ({ name, id: `register-${name.slice(7)}`, label })),
  { name: 'format', id: 'register-format', label: 'Format' },
];

const wishes = [
  { name: 'filter/category', label: 'Categories', hint: 'Any of these, separated by commas.' },
  { name: 'filter/integration', label: 'Integrations', hint: 'All of these, separated by commas.' },
  { name: 'filter/author', label: 'Author', hint: 'For example @ada.' },
  { name: 'filter/q', label: 'Words', hint: 'In the name, description, author, integrations or categories.' },
] as const;

/** Which bots and which events; open if something was typed. */
const Wishes = ({ form }: { form: FormState }) => {
  const ticked = new Set(form.values.events ?? []);
  const isOpen = ticked.size > 0 || wishes.some(({ name }) => typed(form, name) !== '');
  return (
    <details class="field" open={isOpen}>
      <summary>Only some bots, or more than new bots</summary>
      <div class="form">
        {wishes.map(({ name, ...field }) => (
          <Field key={name} form={form} name={name} id={`register-${name.slice(7)}`} {...field} />
        ))}
        <fieldset class="field" id="register-events" tabIndex={-1} aria-describedby="events-hint">
          <legend>
            Events <span class="optional">(optional)</span>
          </legend>
          <p class="hint" id="events-hint">
            Leave empty for new bots.
          </p>
          <div class="ticks">
            {choosable.map(([type, label]) => (
              <label key={type}>
                <input type="checkbox" name="events" value={type} checked={ticked.has(type)} />
                {label}
              </label>
            ))}
          </div>
        </fieldset>
      </div>
    </details>
  );
};

const choosable: readonly (readonly [type: string, label: string])[] = [
  ['bot.created', 'New bots'],
  ['bot.updated', 'Changed bots'],
  ['bot.removed', 'Removed bots'],
  ['bot.restored', 'Restored bots'],
];

const formats: readonly (readonly [value: string, label: string])[] = [
  ['', 'JSON, as above'],
  ['slack', 'Message for Slack'],
  ['discord', 'Message for Discord'],
  ['cloudevents', 'CloudEvents'],
];

/** An address that a chat service gives takes only messages of its own format. */
const Format = ({ form }: { form: FormState }) => (
  <Labelled id="register-format" label="Format" errors={errorsOf(form, 'format')}>
    {(aria) => (
      <select id="register-format" name="format" {...aria}>
        {formats.map(([value, label]) => (
          <option key={value} value={value} selected={typed(form, 'format') === value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);

/** A typed secret is not shown again. */
const Secret = ({ form }: { form: FormState }) => (
  <Field
    form={{ ...form, values: {} }}
    name="secret"
    id="register-secret"
    label="Your own secret"
    hint={`${form.values.secret === undefined ? '' : 'Type it again: we never send secrets back. '}whsec_ and ${limits.secretMinBytes} to ${limits.secretMaxBytes} bytes in base64. Deliveries are then signed with it too (v1). Most subscribers don’t need one.`}
  />
);

const Refusal = ({ view: { action, form, pingFailure } }: { view: WebhooksView }) => {
  if (form.problem?.code === 'webhook_exists')
    return <Alert kind="warning" title="Already registered and active. We sent no ping." />;
  if (form.problem?.code === 'webhook_not_found') return <Alert kind="error" title="This URL is not registered." />;
  if (form.problem?.code === 'webhook_ping_failed')
    return (
      <Alert kind="error" title="Not registered: the ping failed">
        <p>
          {failures[pingFailure ?? ''] ?? 'It did not respond with a 2xx status.'} Nothing was saved.
          {pingFailure === 'status' && ' An address of a chat needs the format of that chat.'}
        </p>
      </Alert>
    );
  return <FormAlert form={form} fields={fieldsOf(action)} />;
};

type Status = Extract<WebhookResult, { of: 'status' }>;

const StatusFacts = ({ result }: { result: Status }) => (
  <dl class="facts">
    <div>
      <dt>Events</dt>
      <dd>{result.events.join(', ')}</dd>
    </div>
    <div>
      <dt>Bots</dt>
      <dd>
        <bdi>{result.bots.length === 0 ? 'All' : result.bots.join('; ')}</bdi>
      </dd>
    </div>
    {result.format !== null && (
      <div>
        <dt>Format</dt>
        <dd>{formats.find(([value]) => value === result.format)?.[1] ?? result.format}</dd>
      </div>
    )}
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
      <dd>{result.lastFailure === null ? 'None' : (failures[result.lastFailure] ?? result.lastFailure)}</dd>
    </div>
    <div>
      <dt>Next attempt</dt>
      <dd>{result.nextAttemptAt === null ? 'None scheduled' : time(result.nextAttemptAt)}</dd>
    </div>
  </dl>
);

const Result = ({ result }: { result: WebhookResult }) => {
  if (result.of === 'register')
    return (
      <Alert id="result" kind="success" title="Registered. Your endpoint responded to the ping.">
        <p class="break">{result.url}</p>
        <p class="fine">
          Its id is <span class="mono">{result.id}</span>. We’ll send it{' '}
          {result.isChosen ? 'what you chose' : 'every new bot'} from now on.
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
      {!isActive && <p>Register it again below to resume where it left off.</p>}
    </Alert>
  );
};
