/** The Lua scripts, read once at start. Each file documents what it does, takes and returns. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const names = [
  'publish-bot',
  'add-integrations',
  'count-install',
  'claim-reading',
  'claim-rechecks',
  'record-reading',
  'withdraw-gone',
  'bring-back',
  'edit-bot',
  'add-post',
  'read-changes',
  'moderate-bots',
  'moderate-posts',
  'set-rule',
  'report-bot',
  'close-reports',
  'expire-reports',
  'record-operation',
  'read-events',
  'begin-life',
  'read-log-state',
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
  'resume-webhooks',
  'bring-forward',
  'lowest-cursor',
  'pass-events',
] as const;

/** A file of `lua/`, without its extension. */
export type ScriptName = (typeof names)[number];

/** A script, the SHA-1 by which the server knows it, and what it includes of `lua/include/`. */
export type Script = { readonly source: string; readonly sha: string; readonly includes: ReadonlySet<string> };

/** Makes a script from its source. */
export const scriptOf = (source: string, includes: ReadonlySet<string> = new Set()): Script => ({
  source,
  sha: createHash('sha1').update(source).digest('hex'),
  includes,
});

const read = (file: string): string => readFileSync(new URL(`./lua/${file}.lua`, import.meta.url), 'utf8');

/** A file includes shared code with a line `-- @include <file of lua/include/>`; each is included once. */
const load = (name: ScriptName): Script => {
  const includes = new Set<string>();
  const withIncludes = (text: string): string =>
    text.replace(/^-- @include (\S+)$/gm, (_line, file: string) => {
      if (includes.has(file)) return '';
      includes.add(file);
      return withIncludes(read(`include/${file}`));
    });
  return scriptOf(withIncludes(read(name)), includes);
};

/** Source and SHA-1 of each script. */
export const scripts = Object.fromEntries(names.map((name) => [name, load(name)])) as Record<ScriptName, Script>;
