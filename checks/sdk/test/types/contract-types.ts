/**
 * The SDK's types equal the contract's, both ways. An operation on which they differ makes its line below fail to
 * compile: the type checker names it as a missing property. Enums are compared as open, as the SDK writes those of
 * responses. A `Date` that the SDK also takes counts as the text that it sends.
 */
import type { contract, OperationName } from '@bot-directory/contract';
import type * as z from 'zod';
import type * as sdk from '../../../../packages/sdk/src/index.ts';
import type * as shapes from '../../../../packages/sdk/src/types.gen.ts';

type Contract = typeof contract;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** A type written out, so that an interface and an inferred type of the same members are the same type. */
type Plain<T> = [T] extends [ReadonlyArray<infer Item>]
  ? Array<Plain<Item>>
  : [T] extends [object]
    ? Flat<PlainMembers<T>>
    : Open<Writable<T>>;
/** Of a union: the SDK also takes arrays that are readonly. */
type Writable<T> = T extends string | Date
  ? T
  : T extends ReadonlyArray<infer Item>
    ? Item[]
    : T extends object
      ? { [K in keyof T]: Writable<T[K]> }
      : T;
type PlainMembers<T> = { [K in keyof T as undefined extends T[K] ? never : K]: PlainMember<K, T[K]> } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: PlainMember<K, Exclude<T[K], undefined | Date>>;
};
type PlainMember<K, T> = K extends 'code' ? T | (string & {}) : Plain<T>;
type Flat<T> = { [K in keyof T]: T[K] };

/** A string enum that also allows any other string. */
type Open<T, S = Extract<T, string>> = [S] extends [never]
  ? T
  : string extends S
    ? T
    : true extends IsUnion<S>
      ? T | (string & {})
      : T;
type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;

type Sent<Route, Part extends string> = Route extends Record<Part, z.ZodType<infer Output>> ? Output : unknown;
/** Members that may only be absent are how the contract refuses a field. */
type Given<T> = { [K in keyof T as [Exclude<T[K], undefined>] extends [never] ? never : K]: T[K] };
type ContractInput<K extends OperationName> = Given<
  Sent<Contract[K], 'pathParams'> & Sent<Contract[K], 'query'> & Sent<Contract[K], 'body'>
>;
type ContractAnswer<K extends OperationName> =
  Contract[K]['responses'][200] extends z.ZodType<infer Answer> ? Answer : 'a stream';
type ContractProblems<K extends OperationName> = {
  [Status in Exclude<keyof Contract[K]['responses'], 200>]: Contract[K]['responses'][Status] extends z.ZodType<
    infer Body
  >
    ? Plain<Body>
    : never;
};

type SdkOperation<K extends OperationName> = (typeof sdk)[K];
type SdkInput<K extends OperationName> =
  SdkOperation<K> extends (connection: sdk.Connection, options?: sdk.CallOptions) => unknown
    ? unknown
    : Exclude<Parameters<SdkOperation<K>>[1], undefined>;
type SdkAnswer<K extends OperationName> =
  ReturnType<SdkOperation<K>> extends Promise<infer Answer> ? Answer : 'a stream';
type SdkProblems<K extends OperationName> = `${Capitalize<K>}Problems` extends infer Name
  ? Name extends keyof ProblemsByName
    ? // A 304 has no body to compare.
      { [Status in Exclude<keyof ProblemsByName[Name], 304>]: Plain<ProblemsByName[Name][Status]> }
    : 'missing'
  : never;

interface ProblemsByName {
  ListBotsProblems: shapes.ListBotsProblems;
  CountFacetsProblems: shapes.CountFacetsProblems;
  GetBotProblems: shapes.GetBotProblems;
  ListPostsProblems: shapes.ListPostsProblems;
  ListCategoriesProblems: shapes.ListCategoriesProblems;
  ListIntegrationsProblems: shapes.ListIntegrationsProblems;
  SubmitBotProblems: shapes.SubmitBotProblems;
  AddIntegrationsProblems: shapes.AddIntegrationsProblems;
  RefreshBotProblems: shapes.RefreshBotProblems;
  ReportBotProblems: shapes.ReportBotProblems;
  AddPostProblems: shapes.AddPostProblems;
  ReportPostProblems: shapes.ReportPostProblems;
  AddWebhookProblems: shapes.AddWebhookProblems;
  TestWebhookProblems: shapes.TestWebhookProblems;
  RemoveWebhookProblems: shapes.RemoveWebhookProblems;
  ListEventsProblems: shapes.ListEventsProblems;
  StreamEventsProblems: shapes.StreamEventsProblems;
  GetWebhookStatusProblems: shapes.GetWebhookStatusProblems;
  ListWebhookKeysProblems: shapes.ListWebhookKeysProblems;
}

type Differing<Left extends Record<OperationName, unknown>, Right extends Record<OperationName, unknown>> = {
  [K in OperationName as Same<Left[K], Right[K]> extends true ? never : K]: 'differs from the contract';
};

/** Inputs that differ: none. */
export const inputs: Differing<
  { [K in OperationName]: Plain<ContractInput<K>> },
  { [K in OperationName]: Plain<SdkInput<K> extends object ? SdkInput<K> : Given<unknown>> }
> = {};

/** Responses that differ: none. */
export const answers: Differing<
  { [K in OperationName]: Plain<ContractAnswer<K>> },
  { [K in OperationName]: Plain<SdkAnswer<K>> }
> = {};

/** Problems that differ: none. */
export const problems: Differing<
  { [K in OperationName]: ContractProblems<K> },
  { [K in OperationName]: SdkProblems<K> }
> = {};
