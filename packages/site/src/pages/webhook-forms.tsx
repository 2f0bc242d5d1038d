/** The form that registers a URL, which begins with where the bots should go, and the one about a registered URL. */
import type { ComponentChildren } from 'preact';
import { limits } from '@bot-directory/contract/limits';
import { Alert } from '../parts/alert.tsx';
import { errorsOf, Field, FormAlert, Labelled, novalidate, typed, type NamedField } from '../parts/field.tsx';
import { Fold } from '../parts/fold.tsx';
import { Icon } from '../parts/icon.tsx';
import { Integration, Marked, Sprite } from '../parts/integration.tsx';
import { choosableEvents, wishInWords, type Wish } from '../parts/wish.ts';
import { emptyForm, secretFields, type FormState, type WebhookAction, type WebhooksView } from '../views.ts';

/** Registers a URL. A refused form keeps its values. */
export const RegisterForm = ({ view }: { view: WebhooksView }) => {
  const isSent = view.action === 'register';
  const form = isSent ? view.form : emptyForm;
  return (
    <form
      class="form form-line"
      data-register
      {...(isSent && view.result === undefined ? { id: 'result' } : {})}
      method="post"
      action="/webhooks#result"
      {...novalidate(form)}
    >
      {isSent && <Refusal view={view} />}
      <input type="hidden" name="action" value="register" />
      <Destination form={form} />
      <Field
        form={form}
        name="url"
        id="register-url"
        type="url"
        label="Webhook URL"
        isRequired
        maxLength={limits.urlLength}
        autocomplete="url"
        placeholder="https://"
        hint="HTTPS, on port 443 or any port from 1024."
      />
      <Wishes form={form} />
      <More form={form} />
      <button class="button" type="submit">
        Register and ping
      </button>
      <p class="fine">Keep the URL to yourself: anyone who knows it can remove it. It is never shown.</p>
    </form>
  );
};

/** Checks, tests or removes a URL. Enter checks it. */
export const RegisteredForm = ({ view }: { view: WebhooksView }) => {
  const isSent = view.action !== undefined && view.action !== 'register';
  const form = isSent ? view.form : emptyForm;
  return (
    <form
      class="form form-line"
      {...(isSent && view.result === undefined ? { id: 'result' } : {})}
      method="post"
      action="/webhooks#result"
      {...novalidate(form)}
    >
      <h2>Already registered?</h2>
      {isSent && <Refusal view={view} />}
      <Field
        form={form}
        name="url"
        id="registered-url"
        type="url"
        label="Registered URL"
        isRequired
        maxLength={limits.urlLength}
        autocomplete="url"
        placeholder="https://"
        hint="Check shows recent failures and the next attempt."
      />
      <div class="chips">
        {abouts.map(([action, text]) => (
          <button key={action} class="button quiet" type="submit" name="action" value={action}>
            {text}
          </button>
        ))}
      </div>
    </form>
  );
};

const abouts: readonly (readonly [action: WebhookAction, text: string])[] = [
  ['status', 'Check'],
  ['test', 'Send a ping'],
  ['remove', 'Remove'],
];

const fieldsOf = (action: WebhookAction | undefined): NamedField[] => [
  { name: 'url', id: action === 'register' ? 'register-url' : 'registered-url', label: 'URL' },
  { name: 'secret', id: 'register-secret', label: 'Secret' },
  { name: 'headers', id: 'register-headers', label: 'Headers' },
  ...wishes.map(({ name, label }) => ({ name, id: `register-${name.slice(7)}`, label })),
  { name: 'events', id: 'register-events', label: 'Events' },
  { name: 'format', id: 'register-format', label: destinationTitle },
];

const destinationTitle = 'Where should they go?';

type Destination = {
  readonly format: string;
  /** Without an integration it is a service of the subscriber's own. */
  readonly integration?: string;
  readonly steps: readonly ComponentChildren[];
  readonly more?: ComponentChildren;
};

const lastStep = 'Paste it below and register. We post a test message there.';

const destinations: readonly Destination[] = [
  {
    format: 'slack',
    integration: 'slack',
    steps: [
      'In your Slack app’s settings, turn on Incoming Webhooks and add one to a channel.',
      'Copy its Webhook URL. It begins with https://hooks.slack.com/.',
      lastStep,
    ],
    more: 'Mattermost and Rocket.Chat take the same messages.',
  },
  {
    format: 'discord',
    integration: 'discord',
    steps: [
      'Edit the channel, open Integrations, then Webhooks, and create one.',
      'Copy its Webhook URL. It begins with https://discord.com/api/webhooks/.',
      lastStep,
    ],
  },
  {
    format: 'teams',
    integration: 'microsoft-teams',
    steps: [
      'Open the channel’s Workflows, and choose “Send webhook alerts to a channel”.',
      'Copy the URL that the workflow shows.',
      lastStep,
    ],
    more: 'Teams accepts a message before it shows it, so check that the channel has it.',
  },
  {
    format: 'google-chat',
    integration: 'google-chat',
    steps: [
      'In the space, open Apps & integrations, then Webhooks, and add one.',
      'Copy its URL, with its key and token. It begins with https://chat.googleapis.com/.',
      lastStep,
    ],
  },
  {
    format: '',
    steps: [
      <>
        Take POST requests at an HTTPS URL, and <a href="#verify">verify them</a>.
      </>,
      'Respond to our ping with a 2xx status.',
      <>
        Register the URL below. Each new bot then comes <a href="#what-arrives">like this</a>.
      </>,
    ],
  },
];

/** The choice, each with its steps: those of the chosen one show, with and without the script. */
const Destination = ({ form }: { form: FormState }) => {
  const errors = errorsOf(form, 'format');
  // The box within the choice of an own service has the same name.
  const asked = form.values['format']?.find((one) => one !== '') ?? '';
  const isEvents = asked === 'cloudevents';
  return (
    <fieldset
      class={errors.length > 0 ? 'field field-wrong' : 'field'}
      id="register-format"
      tabIndex={-1}
      {...(errors.length > 0 ? { 'aria-describedby': 'format-error' } : {})}
    >
      <legend>{destinationTitle}</legend>
      {errors.length > 0 && (
        <p class="field-error" id="format-error">
          {errors.join(' ')}
        </p>
      )}
      <Marked of={destinations.flatMap(({ integration = [] }) => integration)}>
        <Sprite />
        <div class="tiles">
          {destinations.map((one) => (
            <Tile key={one.format} {...one} isChosen={one.format === (isEvents ? '' : asked)}>
              {one.format === '' && (
                <div class="ticks">
                  <label>
                    <input type="checkbox" name="format" value="cloudevents" checked={isEvents} />
                    As CloudEvents
                  </label>
                </div>
              )}
            </Tile>
          ))}
        </div>
      </Marked>
    </fieldset>
  );
};

type TileProps = Destination & { readonly isChosen: boolean; readonly children: ComponentChildren };

const Tile = ({ format, integration, steps, more, isChosen, children }: TileProps) => (
  <>
    <input type="radio" id={`format-${format || 'own'}`} name="format" value={format} checked={isChosen} />
    <label for={`format-${format || 'own'}`} class="card-head">
      {integration === undefined ? (
        <>
          <Icon name="radio" />
          Your own service
        </>
      ) : (
        <Integration slug={integration} />
      )}
    </label>
    <div>
      <ol>
        {steps.map((step, i) => (
          <li key={i}>{step}</li>
        ))}
      </ol>
      {more !== undefined && <p class="fine">{more}</p>}
      {children}
    </div>
  </>
);

const wishes = [
  { name: 'filter/category', label: 'Categories', hint: 'Any of these, separated by commas.' },
  { name: 'filter/integration', label: 'Integrations', hint: 'All of these, separated by commas.' },
  { name: 'filter/author', label: 'Author', hint: 'For example @ada.' },
  { name: 'filter/q', label: 'Words', hint: 'As in the search box.' },
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
      <p class="alert-title">
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
