/**
 * The Lua scripts, read once at start, and how one is run. Each is next to what calls it, and documents what it does,
 * takes and returns.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { RedisClient } from './connect.ts';

/** Scripts on whose result a caller relies: if replicas must have writes, they must have these. */
const reliedOn = [
  'publish-bot',
  'add-integrations',
  'withdraw-gone',
  'bring-back',
  'edit-bot',
  'add-post',
  'moderate',
  'set-rule',
  'report-bot',
  'close-reports',
  'record-operation',
  'accept-directory',
  'add-webhook',
  'remove-webhook',
  'resume-webhooks',
  'pass-events',
] as const;

/** Scripts whose loss repairs itself, and those that write nothing. */
const others = [
  'count-install',
  'count-write',
  'claim-reading',
  'claim-rechecks',
  'claim-notice',
  'settle-notice',
  'record-reading',
  'read-changes',
  'expire-reports',
  'read-events',
  'begin-epoch',
  'agree-on-key',
  'read-log-state',
  'find-position',
  'trim-log',
  'read-entries',
  'read-together',
  'read-webhook',
  'read-partition',
  'claim-webhooks',
  'settle-webhooks',
  'bring-forward',
  'lowest-cursor',
] as const;

/** A file, without its extension. */
export type ScriptName = (typeof reliedOn | typeof others)[number];

/** A script, the SHA-1 by which the server knows it, and what it includes of `store/include/`. */
export type Script = {
  readonly source: string;
  readonly sha: string;
  readonly includes: ReadonlySet<string>;
  readonly isReliedOn: boolean;
};

/** A build has all of them in one folder. */
const built = new URL('lua/', import.meta.url);
const folder = existsSync(built) ? built : new URL('../', import.meta.url);
const paths = new Map(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.lua'))
    .map((path) => [basename(path, '.lua'), path]),
);
const read = (name: string): string => readFileSync(new URL(paths.get(name) ?? name, folder), 'utf8');

/** A file includes shared code with a line `-- @include <file of store/include/>`; each is included once. */
const load = (name: ScriptName): Script => {
  const includes = new Set<string>();
  const withIncludes = (text: string): string =>
    text.replace(/^-- @include (\S+)$/gm, (_line, file: string) => {
      if (includes.has(file)) return '';
      includes.add(file);
      return withIncludes(read(file));
    });
  const source = withIncludes(read(name));
  const sha = createHash('sha1').update(source).digest('hex');
  return { source, sha, includes, isReliedOn: reliedOn.some((one) => one === name) };
};

/** Source and SHA-1 of each script. */
export const scripts = Object.fromEntries([...reliedOn, ...others].map((name) => [name, load(name)])) as Record<
  ScriptName,
  Script
>;

export type ScriptInput = { readonly keys: readonly string[]; readonly args: readonly (string | number)[] };

/** Sends commands and resolves to their reply. */
export type Attempt = <T>(use: (redis: RedisClient) => Promise<T>) => Promise<T>;

/** Runs a script by its SHA-1, and by its source if the server does not know it; `attempt` carries out each of both. */
export const runScript = (attempt: Attempt, script: Script, input: ScriptInput): Promise<unknown> =>
  attempt((redis) => runKnown(redis, script, input)).catch((error: unknown) => {
    if (!isUnknownScript(error)) throw error;
    return attempt((redis) => runSource(redis, script, input));
  });

const runKnown = (redis: RedisClient, { sha }: Script, { keys, args }: ScriptInput): Promise<unknown> =>
  redis.evalsha(sha, keys.length, ...keys, ...args);

const runSource = (redis: RedisClient, { source }: Script, { keys, args }: ScriptInput): Promise<unknown> =>
  redis.eval(source, keys.length, ...keys, ...args);

/** As worded by Redis, or as wrapped by `call`. */
const isUnknownScript = (error: unknown): boolean =>
  error instanceof Error && /^(Redis: )?NOSCRIPT\b/.test(error.message);
