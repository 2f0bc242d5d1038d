/**
 * The operations of the contract that are not reads of the directory or of the event log. The API and the forms of the
 * site take them from here, with the same rules.
 */
import * as z from 'zod';
import type { contract, writeRoutes } from '@bot-directory/contract';
import { addIntegrations, refreshBot, reportBot } from './bots.ts';
import {
  bodyErrors,
  check,
  configured,
  invalidInput,
  withoutNulls,
  type InputRules,
  type Operation,
  type RequestContext,
} from './input.ts';
import { addPost, reportPost } from './posts.ts';
import { submitBot } from './submit-bot.ts';
import { switchIssues } from './switches.ts';
import { addWebhook, getWebhookStatus, listWebhookKeys, removeWebhook, testWebhook } from './webhooks.ts';

export type OperationName = keyof typeof writeRoutes | 'getWebhookStatus' | 'listWebhookKeys';

type Result<Name extends OperationName> = z.output<(typeof contract)[Name]['responses'][200]>;

const operations = {
  submitBot,
  addIntegrations,
  refreshBot,
  reportBot,
  addPost,
  reportPost,
  addWebhook,
  testWebhook,
  removeWebhook,
  getWebhookStatus,
  listWebhookKeys,
} satisfies { readonly [Name in OperationName]: Operation<z.ZodType, never, Result<Name>> };

export type OperationDeps = (typeof operations)[OperationName]['run'] extends (
  deps: infer Deps,
  ...rest: never
) => unknown
  ? Deps
  : never;

/** Operations that know the settings and what they need. */
export type BoundOperations = {
  readonly [Name in OperationName]: {
    /** The rules of its input. */
    readonly input: z.ZodType;
    /** Runs it with input that keeps the rules. */
    readonly run: (input: unknown, context: RequestContext) => Promise<Result<Name>>;
    /** Checks what was sent, and runs it. */
    readonly take: (sent: unknown, context: RequestContext) => Promise<Result<Name>>;
  };
};

/** Binds them. `deps` undefined: saving is not configured, which is reported only for valid input. */
export const bindOperations = (rules: InputRules, deps: OperationDeps | undefined): BoundOperations => {
  const bind = ({ input, resettable, run }: Operation<z.ZodType, OperationDeps, unknown>) => {
    const schema = withoutSwitches(input(rules), resettable);
    const bound = async (value: unknown, { client, slug = '' }: RequestContext): Promise<unknown> =>
      run(configured(deps), value, { client, slug });
    const take = async (sent: unknown, context: RequestContext): Promise<unknown> => {
      const parsed = schema.safeParse(sent);
      if (!parsed.success) throw invalidInput(bodyErrors(parsed.error.issues));
      return bound(parsed.data, context);
    };
    return { input: schema, run: bound, take };
  };
  return Object.fromEntries(
    Object.entries(operations).map(([name, one]) => [name, bind(one as Operation<z.ZodType, OperationDeps, unknown>)]),
  ) as BoundOperations;
};

/**
 * Reads an input, and also refuses what looks like a switch that prevents a write. `null` stands for no value, or for
 * the default of a field that is resettable.
 */
const withoutSwitches = (input: z.ZodType, resettable: readonly string[] | undefined): z.ZodType => {
  const fields = input instanceof z.ZodObject ? Object.keys(input.shape) : [];
  return z.unknown().transform((sent, context) => {
    const values = withoutNulls(sent, resettable);
    const { data, error } = check(input, values);
    for (const { message, path } of [...switchIssues(values, fields), ...(error?.issues ?? []).flatMap(onePerMember)])
      context.addIssue({ code: 'custom', message, path: [...path] });
    return data;
  });
};

/** An issue about unknown members names all of them at once. */
const onePerMember = (issue: z.core.$ZodIssue): Pick<z.core.$ZodIssue, 'message' | 'path'>[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ message: issue.message, path: [...issue.path, key] }))
    : [issue];
