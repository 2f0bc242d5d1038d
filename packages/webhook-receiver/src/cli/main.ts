#!/usr/bin/env node
/**
 * The command line: `send` a signed event to a receiver, `check` how it treats good and bad ones, or have a directory
 * `test` a registered one.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { WebhookError } from '../errors.ts';
import type { EventType } from '../event.ts';
import { eventTypes } from '../event-types.gen.ts';
import { check, makeKey, send, test } from './commands.ts';
import { createPost } from './post.ts';

const command = 'npx @bot-directory/webhook-receiver';
const types = eventTypes.join('|');
const usage = `${command} send URL [--type ${types}]    post one signed event
${command} check URL [--type ${types}] [--count URL]
    post valid and forged events; exit code 1 when a check fails. The last column says what a failure means.
${command} test URL --directory URL              have a directory ping a registered URL
${command} key                                   make a key pair for trials

The key comes from --key or WEBHOOK_KEY: whsk_ (ed25519 private key) or whsec_ (shared secret).
The receiver needs the matching public key or secret.
--header 'Name: value' is sent too, as a gateway may want it; several may be given. --ca names a file of authorities
(PEM) to trust in place of the system's.
--count is a URL of your receiver whose GET returns how many events it has handled. Without it, check cannot see
whether a duplicate is handled twice.`;

const print = (line: string): void => console.log(line);

const main = async (): Promise<number> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      type: { type: 'string', default: 'ping' },
      key: { type: 'string' },
      count: { type: 'string' },
      header: { type: 'string', multiple: true, default: [] },
      ca: { type: 'string' },
      directory: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [name, url = '', ...rest] = positionals;
  if (values.help) {
    print(usage);
    return 0;
  }
  if (name === 'key' && url === '') return makeKey(print);
  const { type, key = process.env.WEBHOOK_KEY, count, header, ca, directory = '' } = values;
  if (name === 'test' && rest.length === 0) {
    if (!URL.canParse(url) || !/^https?:/.test(directory) || !URL.canParse(directory))
      return misused(`test needs a URL and its directory: ${command} test https://… --directory https://…`);
    return test(url, directory, print);
  }
  if ((name !== 'send' && name !== 'check') || rest.length > 0) return misused(usage);
  if (!/^https?:/.test(url) || !URL.canParse(url)) return misused(`${name} needs a URL: ${command} ${name} https://…`);
  if (!isEventType(type)) return misused(`--type must be ${eventTypes.join(' or ')}, not ${type}`);
  if (count !== undefined && !URL.canParse(count)) return misused('--count must be a URL');
  if (!key) return misused(`give a key with --key or WEBHOOK_KEY; ${command} key makes one`);
  const headers = header.map((line) => /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(line)?.slice(1));
  if (headers.includes(undefined)) return misused("--header must be a name, a colon and a value: 'X-Api-Key: secret'");
  const post = createPost({
    headers: Object.fromEntries(headers as string[][]) as Record<string, string>,
    ca: ca === undefined ? undefined : readFileSync(ca, 'utf8'),
  });
  return (name === 'send' ? send : check)({ url, key, type, count, post, print });
};

const isEventType = (type: string): type is EventType => eventTypes.includes(type);

const misused = (text: string): number => {
  console.error(text);
  return 2;
};

// Mistakes of the caller are printed without a stack.
process.exitCode = await main().catch((error: unknown) => {
  if (error instanceof WebhookError || (error instanceof Error && 'code' in error)) return misused(error.message);
  throw error;
});
