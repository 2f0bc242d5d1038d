/** The Lua scripts, read once at start. Each file documents what it does, takes and returns. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const names = [
  'publish-bot',
  'add-integrations',
  'count-install',
  'add-post',
  'read-changes',
  'moderate-bots',
  'set-rule',
  'report-bot',
  'close-reports',
  'record-operation',
  'read-events',
  'find-position',
  'trim-log',
  'read-entries',
  'read-together',
  'read-sizes',
  'add-webhook',
  'remove-webhook',
  'read-webhook',
  'read-partition',
  'claim-webhooks',
  'settle-webhooks',
] as const;

/** A file of `lua/`, without its extension. */
export type ScriptName = (typeof names)[number];

/** A script and the SHA-1 by which the server knows it. */
export type Script = { readonly source: string; readonly sha: string };

/** Makes a script from its source. */
export const scriptOf = (source: string): Script => ({ source, sha: createHash('sha1').update(source).digest('hex') });

const read = (file: string): string => readFileSync(new URL(`./lua/${file}.lua`, import.meta.url), 'utf8');

/** A script includes shared code with a line `-- @include <file of lua/include/>`. */
const load = (name: ScriptName): Script =>
  scriptOf(read(name).replace(/^-- @include (\S+)$/gm, (_line, file: string) => read(`include/${file}`)));

/** Source and SHA-1 of each script. */
export const scripts = Object.fromEntries(names.map((name) => [name, load(name)])) as Record<ScriptName, Script>;
