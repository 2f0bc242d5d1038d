#!/usr/bin/env node
/** The command line: `send` a signed event to a receiver, or `check` what it makes of good and bad ones. */
import { parseArgs } from 'node:util';
import { WebhookError } from '../errors.ts';
import { check, makeKey, send } from './commands.ts';

const usage = `webhook-receiver send URL [--type ping|bot.created]    post one signed event
webhook-receiver check URL [--type ping|bot.created]   post good and bad ones; exit code 1 when one is taken for the other
webhook-receiver key                                   make a key pair to try it with

The key is taken from --key or WEBHOOK_KEY: whsk_ (ed25519 private key) or whsec_ (shared secret).
The receiver must know its other half.`;

const print = (line: string): void => console.log(line);

const main = async (): Promise<number> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      type: { type: 'string', default: 'ping' },
      key: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [name, url = '', ...rest] = positionals;
  if (values.help) {
    print(usage);
    return 0;
  }
  if (name === 'key' && url === '') return makeKey(print);
  const { type, key = process.env.WEBHOOK_KEY } = values;
  if ((name !== 'send' && name !== 'check') || rest.length > 0) return misused(usage);
  if (!/^https?:/.test(url) || !URL.canParse(url))
    return misused(`${name} needs a URL: webhook-receiver ${name} https://…`);
  if (type !== 'ping' && type !== 'bot.created') return misused(`--type is ping or bot.created, not ${type}`);
  if (!key) return misused('give a key in --key or WEBHOOK_KEY; webhook-receiver key makes one');
  return (name === 'send' ? send : check)({ url, key, type, print });
};

const misused = (text: string): number => {
  console.error(text);
  return 2;
};

// Only what the caller got wrong is told without a stack.
process.exitCode = await main().catch((error: unknown) => {
  if (error instanceof WebhookError || (error instanceof TypeError && 'code' in error)) return misused(error.message);
  throw error;
});
