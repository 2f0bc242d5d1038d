/** A form's field: label, hint, errors, and then the control that all three describe. */
import { limits } from '@bot-directory/contract/limits';
import type { ComponentChildren } from 'preact';
import { secretFields, type FormState } from '../views.ts';
import { Alert } from './alert.tsx';
import { to } from './href.ts';
import { Icon } from './icon.tsx';
import { wait } from './words.ts';

/** Returns what was typed into a field. */
export const typed = (form: FormState, name: string): string => form.values[name]?.[0] ?? '';

/** Lists the errors of a field: all whose pointer begins with it, each once. */
export const errorsOf = (form: FormState, name: string): string[] => [
  ...new Set(
    form.errors
      .filter(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))
      .map(({ detail }) => sentence(detail, name)),
  ),
];

/** Turns what the API says, such as `is required`, into a sentence to show next to a field. */
const sentence = (detail: string, name: string): string => {
  if (detail === 'is required') return 'This field is required.';
  const [, most] = /^must have at most (\d+) entries$/.exec(detail) ?? [];
  if (most !== undefined) return `No more than ${most} ${name}.`;
  const whole = /^(must|is|has|can)\b/.test(detail) ? `This ${detail}` : detail;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
};

/** The attributes by which screen readers read a control's hint and errors with it. */
type Described = { 'aria-describedby'?: string; 'aria-invalid'?: 'true' };

const described = (id: string, { hint, errors }: { hint: boolean; errors: readonly string[] }): Described => {
  const ids = [...(hint ? [`${id}-hint`] : []), ...(errors.length > 0 ? [`${id}-error`] : [])];
  return {
    ...(ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') }),
    ...(errors.length === 0 ? {} : { 'aria-invalid': 'true' }),
  };
};

/** A label with hint and errors, around any control. */
export const Labelled = (props: {
  id: string;
  label: string;
  isRequired?: boolean;
  hint?: ComponentChildren;
  errors: readonly string[];
  children: (described: Described) => ComponentChildren;
}) => {
  const { id, label, isRequired = false, hint, errors, children } = props;
  return (
    <div class={errors.length > 0 ? 'field field-wrong' : 'field'}>
      <label for={id}>
        {label}
        {!isRequired && <span class="optional"> (optional)</span>}
      </label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {errors.length > 0 && (
        <p class="field-error" id={`${id}-error`}>
          {errors.join(' ')}
        </p>
      )}
      {children(described(id, { hint: hint !== undefined, errors }))}
    </div>
  );
};

/** A single-line field. `id` differs from `name` if several forms of a page have a field of this name. */
export const Field = (props: {
  form: FormState;
  name: string;
  id?: string;
  label: string;
  type?: 'text' | 'url';
  hint?: ComponentChildren;
  isRequired?: boolean;
  maxLength?: number;
  autocomplete?: string;
  placeholder?: string;
  /** The id of a list of suggestions. */
  list?: string;
}) => {
  const { form, name, id = name, label, type = 'text', hint, isRequired = false } = props;
  return (
    <Labelled
      id={id}
      label={label}
      isRequired={isRequired}
      errors={errorsOf(form, name)}
      {...(hint === undefined ? {} : { hint })}
    >
      {(aria) => {
        const attributes = {
          id,
          name,
          value: typed(form, name),
          required: isRequired,
          autocomplete: props.autocomplete ?? 'off',
          autocapitalize: 'none',
          spellcheck: false,
          ...(props.maxLength === undefined ? {} : { maxLength: props.maxLength }),
          ...(props.placeholder === undefined ? {} : { placeholder: props.placeholder }),
          ...(props.list === undefined ? {} : { list: props.list }),
          ...aria,
        } as const;
        // Not `type="url"`: browsers refuse a link without its scheme, or with characters that nobody sees.
        return <input type="text" {...(type === 'url' ? { inputMode: type } : {})} {...attributes} />;
      }}
    </Labelled>
  );
};

/** A field as the summary of errors names it. */
export type NamedField = { readonly name: string; readonly id?: string; readonly label: string };

/** Every refused field as a link to it, or the one error of the whole form. */
export const FormAlert = ({ form, fields }: { form: FormState; fields: readonly NamedField[] }) => {
  if (form.errors.length > 0) return <FieldAlert form={form} fields={fields} />;
  if (form.problem === undefined) return null;
  const { detail, retryAfterSec, requestId } = form.problem;
  return (
    <Alert kind="error" title={detail}>
      <p>
        {secretFields.some((name) => form.values[name] !== undefined)
          ? 'Only secrets have to be typed again. '
          : Object.keys(form.values).length > 0 && 'Nothing you typed is lost. '}
        {retryAfterSec !== undefined && `Try again ${wait(retryAfterSec)}.`}
      </p>
      <p class="fine">Request {requestId}</p>
    </Alert>
  );
};

const FieldAlert = ({ form, fields }: { form: FormState; fields: readonly NamedField[] }) => {
  const wrong = fields
    .map(({ name, id = name, label }) => ({ id, label, text: errorsOf(form, name).join(' ') }))
    .filter(({ text }) => text !== '');
  // Errors that belong to no field of this form.
  const others = wrong.length === 0 ? form.errors : [];
  const many = wrong.length + others.length;
  return (
    <Alert kind="error" title={many === 1 ? '1 field needs another look' : `${many} fields need another look`}>
      <ul>
        {wrong.map(({ id, label, text }) => (
          <li key={id}>
            <a href={to.id(id)}>{label}</a>: {text}
          </li>
        ))}
        {others.map(({ pointer, detail }) => (
          <li key={pointer}>{detail}</li>
        ))}
      </ul>
    </Alert>
  );
};

/** Turns off the browser's checks of a form once the server has reported errors. */
export const novalidate = (form: FormState): { noValidate?: boolean } =>
  form.errors.length > 0 || form.problem !== undefined ? { noValidate: true } : {};

type SearchAttributes = {
  /** @default 'Search bots' */
  readonly label?: string;
  readonly placeholder?: string;
  readonly autocomplete?: 'off';
  readonly enterkeyhint?: 'search';
  /** The shortcuts to it; the first is shown. */
  readonly keys?: string;
};

/** The box of a search, with its label. */
export const SearchInput = ({
  value,
  label = 'Search bots',
  keys,
  ...attributes
}: SearchAttributes & { readonly value: string }) => (
  <>
    <label class="hidden" for="q">
      {label}
    </label>
    <Icon name="search" />
    {keys !== undefined && (
      <kbd class="chip chip-quiet" aria-hidden="true">
        {keys.charAt(0)}
      </kbd>
    )}
    <input
      id="q"
      name="q"
      type="search"
      value={value}
      maxLength={limits.queryLength}
      placeholder="What should it do?"
      {...(keys === undefined ? {} : { 'aria-keyshortcuts': keys })}
      {...attributes}
    />
  </>
);
