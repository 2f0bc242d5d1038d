/** Register, check and remove: one URL each. The result is shown on the response, and nowhere else. */
import { limits } from '@bot-directory/contract/limits';
import { Alert } from '../parts/alert.tsx';
import { Field, FormAlert, novalidate, type NamedField } from '../parts/field.tsx';
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
    hint: 'HTTPS, port 443 or from 1024 up.',
    note: 'Keep the URL to yourself: whoever knows it can remove it. It is listed nowhere.',
  },
  {
    action: 'status',
    title: 'Check',
    label: 'URL to check',
    button: 'Check',
    hint: 'The URL, exactly as it was registered.',
    note: 'Shows whether it is active, its failures and when it is tried next.',
  },
  {
    action: 'remove',
    title: 'Remove',
    label: 'URL to remove',
    button: 'Remove',
    hint: 'The URL, exactly as it was registered.',
    note: 'Nothing is sent to it afterwards.',
  },
];

const failures: Readonly<Record<string, string>> = {
  dns: 'The name does not resolve.',
  connect: 'No connection could be made.',
  tls: 'The certificate or the TLS handshake is not right.',
  timeout: 'It did not answer in time.',
  status: 'It answered, but not with 2xx.',
  forbidden_address: 'That address is private or reserved.',
};

/** The three forms; the one that was sent keeps its values. */
export const WebhookForms = ({ view }: { view: WebhooksView }) => (
  <div class="hooks" id="forms">
    {view.result !== undefined && <Result result={view.result} />}
    {forms.map(({ action, title, label, button, hint, note }) => {
      const isSent = view.action === action;
      const form = isSent ? view.form : emptyForm;
      return (
        <form key={action} class="form form-line" method="post" action="/webhooks" {...novalidate(form)}>
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
          {action === 'register' && <Secret form={form} />}
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
];

/** A typed secret is not shown again. */
const Secret = ({ form }: { form: FormState }) => (
  <Field
    form={{ ...form, values: {} }}
    name="secret"
    id="register-secret"
    label="Secret of your own"
    hint={`whsec_ and ${limits.secretMinBytes} to ${limits.secretMaxBytes} bytes in base64: deliveries are then signed with it too (v1). Most need none.`}
  />
);

const Refusal = ({ view: { action, form, pingFailure } }: { view: WebhooksView }) => {
  if (form.problem?.code === 'webhook_exists')
    return <Alert kind="warning" title="Already registered and active. It was not pinged." />;
  if (form.problem?.code === 'webhook_not_found')
    return <Alert kind="error" title="Nothing is registered at this URL." />;
  if (form.problem?.code === 'webhook_ping_failed')
    return (
      <Alert kind="error" title="Not registered: the ping failed">
        <p>{failures[pingFailure ?? ''] ?? 'It did not answer with 2xx.'} Nothing was saved.</p>
      </Alert>
    );
  return <FormAlert form={form} fields={fieldsOf(action)} />;
};

const Result = ({ result }: { result: WebhookResult }) => {
  if (result.of === 'register')
    return (
      <Alert kind="success" title="Registered. The ping was answered.">
        <p class="break">{result.url}</p>
        <p class="fine">
          Its id is <span class="mono">{result.id}</span>. Every new bot is sent to it from now on.
        </p>
      </Alert>
    );
  if (result.of === 'remove')
    return (
      <Alert kind="success" title="Removed. Nothing is sent to it any more.">
        <p class="break">{result.url}</p>
      </Alert>
    );
  const isActive = result.state === 'active';
  return (
    <Alert kind={isActive ? 'success' : 'warning'} title={isActive ? 'Active' : 'Stopped after ten failures in a row'}>
      <p class="break">{result.url}</p>
      <dl class="facts">
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
          <dt>Tried next</dt>
          <dd>{result.nextAttemptAt === null ? 'Nothing to try' : time(result.nextAttemptAt)}</dd>
        </div>
      </dl>
      {!isActive && <p>Register it again below: it goes on where it stopped.</p>}
    </Alert>
  );
};
