/**
 * The pages that are forms: one submits a bot, the others register, check, test or remove a webhook. The result of the
 * latter is shown in the response itself, because the URL is a secret.
 */
import {
  exampleBot,
  failureSentences,
  limits,
  submittedFields,
  type Bot,
  type NewWebhook,
  type SubmittedField,
  type WebhookStatus,
} from '@bot-directory/contract';
import {
  emptyForm,
  type SubmitView,
  type WebhookAction,
  type WebhookResult,
  type WebhooksView,
  type Wish,
} from '@bot-directory/site';
import { Failure } from '../base/failure.ts';
import { botPath } from '../domain/bot.ts';
import { suggestCategories } from '../domain/category-words.ts';
import { displayText } from '../domain/display-text.ts';
import { formatted } from '../domain/format.ts';
import { parseCategory, parseIntegration } from '../domain/names.ts';
import type { BoundOperations } from '../operations/index.ts';
import { invalidInput } from '../operations/input.ts';
import { writtenIn } from '../operations/submit-bot.ts';
import type { Sendable } from '../http/problems.ts';
import type { ResourceRoute } from '../reads/resource.ts';
import { fieldOf, filled, namesOf, refusedField, takeForm, typedForm, type FormContext, type Typed } from './form.ts';
import { sendablePage, type Site } from './site.ts';

/** The page that submits a bot, before anything was sent. Its address may fill in the form. */
export const submitPage: ResourceRoute<Site> = {
  path: '/submit',
  find: (site, { search }) => {
    const form = typedForm(filledIn(site, new URLSearchParams(search)));
    return { query: form.values, freshness: undefined, make: () => submitView(site, { form }) };
  },
};

/** What an address fills in, as it would be typed. */
const filledIn = ({ categories }: Site, sent: URLSearchParams): Typed => {
  const textOf = (name: string): string => displayText(sent.getAll(name).join(', '), limits.urlLength);
  const known = sent.getAll('categories').map((name) => parseCategory(name, categories));
  const pairs = submittedFields.map((name): [string, string] => [name, name === 'categories' ? '' : textOf(name)]);
  return new URLSearchParams([
    ...pairs.filter(([, value]) => value !== ''),
    ...known.flatMap((one): [string, string][] => (one.ok ? [['categories', one.value]] : [])),
  ]);
};

/**
 * Shows the bot that would be published; then publishes it and redirects to its page. Errors are shown in the form,
 * which loses nothing that was typed or ticked.
 */
export const submitForm = (site: Site, { submitBot }: Pick<BoundOperations, 'submitBot'>) =>
  takeForm(
    async (typed, context) => {
      const dryRun = typed.get('step') === 'preview';
      const result = await submitBot.take({ ...submissionOf(typed), dry_run: dryRun }, context);
      const { url, pending, preview } = result;
      if (dryRun) {
        const own = (namesOf(typed, 'integrations') ?? []).map(parseIntegration);
        const found = preview?.integrations.filter((slug) => !own.some((one) => one.ok && one.value === slug));
        // Who has seen the suggestions has chosen.
        const suggested = preview === undefined || isFound(typed) ? [] : suggestCategories(preview, site);
        // As it was understood.
        for (const name of ['author', 'source_url'] as const)
          if (preview?.[name] != null) typed.set(name, preview[name]);
        return {
          page: submitView(site, { form: typedForm(typed), preview, found, suggested, written: writtenIn(result) }),
        };
      }
      return pending ? { page: submitView(site, { isPending: true }) } : { redirectTo: `${url}#published` };
    },
    async (refusal) => {
      const { failure } = refusal;
      const form = failure.code === 'template_not_found' ? refusedField(refusal, '/link') : refusal.form;
      const found = isFound(refusal.typed) ? refusal.typed.getAll('found') : undefined;
      return submitView(site, { form, found, existing: await existingBot(site, failure) });
    },
    ['link', 'source_url'],
  );

const submitView = (site: Site, sent: Partial<SubmitView> = {}): Sendable => {
  const { categories } = site;
  return sendablePage(site, { page: 'submit', form: emptyForm, existing: undefined, categories, ...sent });
};

const submissionOf = (typed: Typed): Record<string, unknown> => {
  const categories = typed.getAll('categories');
  return filled({
    link: fieldOf(typed, 'link'),
    author: fieldOf(typed, 'author'),
    source_url: fieldOf(typed, 'source_url'),
    integrations: integrationsOf(typed),
    categories: categories.length === 0 ? undefined : categories,
  } satisfies Record<SubmittedField, unknown>);
};

/**
 * Integrations that were found and not unticked, and those that were typed. Of another link, what was found does not
 * count.
 */
const integrationsOf = (typed: Typed): string[] | undefined => {
  const more = namesOf(typed, 'integrations');
  return isFound(typed) ? [...typed.getAll('found'), ...(more ?? [])] : more;
};

/** Whether the form has what was found of the template of its link. */
const isFound = (typed: Typed): boolean => typed.has('found_for') && typed.get('found_for') === typed.get('link');

const existingBot = async ({ directory }: Site, { code, extras }: Failure) => {
  if (code !== 'bot_exists' || extras.slug === undefined) return undefined;
  await directory.fresh().catch(() => undefined);
  return directory.bySlug(extras.slug)?.bot;
};

type Actions = Pick<BoundOperations, 'addWebhook' | 'testWebhook' | 'removeWebhook' | 'getWebhookStatus'>;

const actions: readonly WebhookAction[] = ['register', 'status', 'remove', 'test', 'resume'];

/** What an address of the webhooks page fills in: the names of the list's parameters, and the fields. */
const followed = {
  q: 'filter/q',
  category: 'filter/category',
  integration: 'filter/integration',
  author: 'filter/author',
  format: 'format',
};

/** The page about webhooks. Its example is the newest bot. Its address may fill in the form. */
export const webhooksPage: ResourceRoute<Site> = {
  path: '/webhooks',
  find: (site, { search }) => {
    const sent = new URLSearchParams(search);
    const pairs = Object.entries(followed).flatMap(([name, field]): [string, string][] => {
      const text = displayText(sent.getAll(name).join(', '), limits.urlLength);
      return text === '' ? [] : [[field, text]];
    });
    const form = typedForm(new URLSearchParams(pairs));
    return {
      query: form.values,
      freshness: { of: 'directory', state: () => site.directory.bots },
      make: () => {
        const view = webhooksView(site);
        return sendablePage(site, pairs.length === 0 ? view : { ...view, action: 'register', form });
      },
    };
  },
};

/** Runs the requested action and shows its result. */
export const webhookForm = (site: Site, does: Actions) =>
  takeForm(
    async (typed, context) => {
      const action = actionOf(typed);
      const address = { url: fieldOf(typed, 'url') };
      const body = { ...filled(address), ...(action === 'register' ? registrationOf(typed) : {}) };
      const result = await resultOf(action, does, { body, context });
      return { page: sendablePage(site, { ...(await freshView(site)), action, result }) };
    },
    async ({ typed, form, failure }) => {
      const action = actionOf(typed);
      return sendablePage(site, { ...(await freshView(site)), action, form, pingFailure: failure.extras.reason });
    },
  );

/** What a registration may have besides the URL. The form says all of what is wanted: what is empty is the default. */
const registrationOf = (typed: Typed): Record<string, unknown> => {
  const filter = filled({
    category: namesOf(typed, 'filter/category'),
    integration: namesOf(typed, 'filter/integration'),
    author: fieldOf(typed, 'filter/author'),
    q: fieldOf(typed, 'filter/q'),
  } satisfies Record<keyof NonNullable<NewWebhook['filter']>, unknown>);
  const events = typed.getAll('events');
  return {
    ...filled({ secret: fieldOf(typed, 'secret'), headers: headersOf(typed), resume: fieldOf(typed, 'resume') }),
    filter: Object.keys(filter).length === 0 ? null : filter,
    events: events.length === 0 ? null : events,
    // A choice, and a box in one of its parts.
    format: typed.getAll('format').find((one) => one !== '') ?? null,
  };
};

/** Headers, one a line. What an object cannot say, such as a line without a colon, is refused here. */
const headersOf = (typed: Typed): Record<string, string> | undefined => {
  const lines = (typed.get('headers') ?? '').split('\n').flatMap((line) => line.trim() || []);
  const pairs = lines.map((line) => /^([^:]+):(.*)$/.exec(line)?.slice(1) ?? []);
  const names = pairs.map(([name = '']) => name.trim());
  if (names.includes('') || new Set(names).size < names.length)
    throw invalidInput([{ pointer: '/headers', detail: 'must be one header a line: its name, a colon and its value' }]);
  const headers = pairs.map(([, value = ''], i) => [names[i], value.trim()]);
  return lines.length === 0 ? undefined : (Object.fromEntries(headers) as Record<string, string>);
};

const freshView = async (site: Site): Promise<WebhooksView> => {
  await site.directory.fresh().catch(() => undefined);
  return webhooksView(site);
};

const actionOf = (typed: Typed): WebhookAction => {
  const action = actions.find((name) => name === typed.get('action'));
  if (action === undefined)
    throw new Failure('invalid_request', `The form’s action must be one of ${actions.join(', ')}.`, {
      errors: [{ pointer: '/action', detail: `must be one of ${actions.join(', ')}` }],
    });
  return action;
};

const resultOf = async (
  action: WebhookAction,
  does: Actions,
  { body, context }: { readonly body: Readonly<Record<string, unknown>>; readonly context: FormContext },
): Promise<WebhookResult> => {
  switch (action) {
    case 'register':
    case 'resume': {
      const { id, url, outcome, events, filter, format, ...has } = await does.addWebhook.take(body, context);
      return {
        of: 'register',
        id,
        url,
        outcome,
        wish: wishOf(events, filter),
        format: format ?? '',
        hasSecret: has.has_secret,
        hasHeaders: has.has_headers,
      };
    }
    case 'test': {
      const { url, failure, detail, duration_ms } = await does.testWebhook.take(body, context);
      return { of: 'test', url, isAccepted: failure === null, detail, durationMs: duration_ms };
    }
    case 'remove':
      return { of: 'remove', ...(await does.removeWebhook.take(body, context)) };
    case 'status': {
      const status = await does.getWebhookStatus.take(body, context);
      return {
        of: 'status',
        url: status.url,
        state: status.state,
        wish: wishOf(status.events, status.filter),
        format: status.format,
        failures: status.failures_in_a_row,
        pending: status.pending_events,
        lastFailure: status.last_failure && failureSentences[status.last_failure],
        nextAttemptAt: status.next_attempt_at,
        attempts: status.last_attempts.map(({ attempted_at, status: responded, failure, duration_ms }) => ({
          at: attempted_at,
          result: responded === null ? failureSentences[failure ?? 'response'] : String(responded),
          durationMs: duration_ms,
        })),
        skipped: status.skipped_events.map(({ id }) => id),
      };
    }
  }
};

const wishOf = (events: readonly string[], filter: WebhookStatus['filter']): Wish => {
  const { category = [], integration = [], author, q = '' } = filter ?? {};
  return { events, category, integration, author: author ?? '', q };
};

/** What a service is sent of a bot that was just published. */
const samplesOf = (bot: Bot, baseUrl: string): WebhooksView['samples'] => {
  const data = { ...bot, install_count: 0 };
  const envelope = {
    id: 'evt_01J9ZQ6V0X3M5B7C9D1F2G4H6J',
    type: 'bot.created',
    created_at: data.created_at,
    data,
  } as const;
  const written = (body: object): string => JSON.stringify(body, undefined, 2);
  return { json: written(envelope), cloudEvent: written(formatted('cloudevents', { envelope, baseUrl })) };
};

/** Before any form was sent. */
const webhooksView = (site: Site): WebhooksView => ({
  page: 'webhooks',
  samples: samplesOf(
    site.directory.bots.newest(1)[0] ?? { ...exampleBot, url: `${site.frame.baseUrl}${botPath(exampleBot.slug)}` },
    site.frame.baseUrl,
  ),
  ...site.webhook,
  action: undefined,
  form: emptyForm,
  pingFailure: undefined,
  result: undefined,
});
