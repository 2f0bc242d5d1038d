/**
 * The contract's request bodies, refined by this server's rules: each field is read into its canonical form, and all
 * refused fields are reported at once.
 */
import * as z from 'zod';
import {
  addedIntegrations,
  limits,
  newPost,
  newWebhook,
  submission,
  webhookAddress,
  type FieldError,
} from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Parsed } from '../base/parsed.ts';
import { parseAuthor } from '../domain/author.ts';
import { parseCategory } from '../domain/categories.ts';
import { parseIntegration } from '../domain/integrations.ts';
import type { Network } from '../domain/ip-address.ts';
import { parseWebhookSecret } from '../domain/signature.ts';
import { parseStatusUrl, type SocialHosts } from '../domain/social-post.ts';
import { parseTemplateLink } from '../domain/template-link.ts';
import { parseWebhookUrl } from '../domain/webhook-url.ts';

/** The settings that the rules need. */
export type InputRules = {
  readonly template: { readonly host: string };
  readonly social: SocialHosts;
  readonly categories: readonly string[];
  readonly webhook: { readonly allowedNetworks: readonly Network[] };
};

/** Request bodies whose output is canonical. */
export const refinedBodies = (rules: InputRules) => ({
  submitBot: refined(submission, {
    link: reading(submission.shape.link, (raw) => parseTemplateLink(raw, rules.template.host)),
    source_url: reading(z.string(), (raw) => parseStatusUrl(raw, rules.social)).optional(),
    author: reading(z.string(), parseAuthor).optional(),
    integrations: atMost(limits.integrationsPerBot, arrayOf(reading(z.string(), parseIntegration))).optional(),
    categories: atMost(
      limits.categoriesPerBot,
      arrayOf(reading(z.string(), (raw) => parseCategory(raw, rules.categories))),
    ).optional(),
    name: submission.shape.name,
    description: submission.shape.description,
  }),
  addIntegrations: refined(addedIntegrations, {
    integrations: arrayOf(reading(z.string(), parseIntegration)).transform(unique),
  }),
  addPost: refined(newPost, { url: reading(z.string(), (raw) => parseStatusUrl(raw, rules.social)) }),
  newWebhook: refined(newWebhook, {
    url: webhookUrl(rules),
    secret: reading(newWebhook.shape.secret.unwrap(), parseWebhookSecret).optional(),
  }),
  webhook: refined(webhookAddress, { url: webhookUrl(rules) }),
});

/** A body of the contract with every field refined: one that is forgotten, here or there, does not compile. */
const refined = <Body extends z.ZodObject, Fields extends { readonly [Name in keyof Body['shape']]: z.ZodType }>(
  _body: Body,
  fields: Fields & { readonly [Name in Exclude<keyof Fields, keyof Body['shape']>]: never },
) => z.object<Fields>(fields);

const webhookUrl = ({ webhook }: InputRules) =>
  reading(z.string(), (raw) => parseWebhookUrl(raw, webhook.allowedNetworks));

/** The refused fields of a body. */
export const bodyErrors = (issues: readonly Issue[]): FieldError[] =>
  issues.map(({ path = [], message }) => ({
    pointer: path.map((step) => `/${escapePointer(String(step))}`).join(''),
    detail: inWords(message),
  }));

/** The refused parameters of a query. */
export const queryErrors = (issues: readonly Issue[]): FieldError[] =>
  issues.map(({ path = [], message }) => ({ pointer: `?${String(path[0])}`, detail: inWords(message) }));

const inWords = (message: string): string => (message.endsWith('received undefined') ? 'is required' : message);

/** The failure for an invalid body or query. It names the first few errors and counts the rest. */
export const invalidInput = (errors: readonly FieldError[]): Failure => {
  const rest = errors.length - limits.errorsNamed;
  const named = rest > 0 ? `names the first ${limits.errorsNamed}, and there are ${rest} more` : 'names each one';
  return new Failure('invalid_request', `A field or parameter is missing or not valid; \`errors\` ${named}.`, {
    errors: errors.slice(0, limits.errorsNamed),
  });
};

/** Returns what needs a store, or throws if there is no store. */
export const configured = <T>(deps: T | undefined): T => {
  if (deps === undefined)
    throw new Failure('saving_not_configured', 'This service runs without a store, so nothing can be saved.');
  return deps;
};

/** An issue as any schema library reports it (Standard Schema). */
export type Issue = { readonly message: string; readonly path?: readonly unknown[] | undefined };

const reading = <T>(schema: z.ZodType<string, string>, parse: (raw: string) => Parsed<T>) =>
  schema.transform((raw, context): T => {
    const result = parse(raw);
    if (result.ok) return result.value;
    context.addIssue({ code: 'custom', message: result.why });
    return z.NEVER;
  });

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** The length is checked before the entries, so that an array of thousands yields one error. */
const arrayOf = <T>(entry: z.ZodType<T, string>) =>
  z
    .array(z.unknown())
    .max(limits.arrayEntries, `must have at most ${limits.arrayEntries} entries`)
    .pipe(z.array(entry));

const atMost = <T>(most: number, schema: z.ZodType<T[], unknown[]>) =>
  schema.transform(unique).refine((values) => values.length <= most, `must have at most ${most} entries`);

const escapePointer = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');
