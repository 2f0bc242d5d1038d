/** The code that the webhooks page shows. */
import type { Bot } from '@bot-directory/contract';
import type { Frame } from '../views.ts';

const example = (frame: Frame): Bot => ({
  id: 'bot_01J9ZQ6V0W4Y8N2E5R7T1K3M6P',
  slug: 'weekly-seo-report',
  name: 'Weekly SEO Report',
  description: 'Gathers rankings, clicks and broken links every Monday.',
  author: '@ada',
  url: `${frame.baseUrl}/bots/weekly-seo-report`,
  source_url: null,
  integrations: ['google-search-console', 'gmail'],
  categories: ['SEO'],
  install_count: 0,
  created_at: '2026-11-21T09:00:00.000Z',
});

/** The envelope of a real bot, or of an example if there is none. */
export const envelopeOf = (bot: Bot | undefined, frame: Frame): string => {
  const data = { ...(bot ?? example(frame)), install_count: 0 };
  return JSON.stringify(
    { id: 'evt_01J9ZQ6V0X3M5B7C9D1F2G4H6J', type: 'bot.created', created_at: data.created_at, data },
    undefined,
    2,
  );
};

/** A subscriber with the receiver package. */
export const receiverCode = (
  baseUrl: string,
): string => `import { createReceiver } from '@bot-directory/webhook-receiver';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';

const receiver = createReceiver({
  baseUrl: '${baseUrl}',
  on: {
    'bot.created': ({ data: bot }) => console.log(\`new: \${bot.name}, \${bot.url}\`),
  },
});

export const POST = fetchHandler(receiver);`;

/** The check that the package makes, in a few lines of Node. */
export const verifyByHand = (baseUrl: string): string => `import { createPublicKey, verify } from 'node:crypto';

const { keys } = await fetch('${baseUrl}/api/webhooks/keys').then((answer) => answer.json());

/** \`body\` is the bytes as they came; \`headers\` has lower-case names. */
export const isGenuine = (body, headers) => {
  if (Math.abs(Date.now() / 1000 - headers['webhook-timestamp']) > 300) return false;
  const signed = Buffer.concat([
    Buffer.from(\`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\`),
    body,
  ]);
  const signatures = headers['webhook-signature'].split(' ').filter((one) => one.startsWith('v1a,'));
  return keys.some(({ public_key }) => {
    const x = Buffer.from(public_key.slice('whpk_'.length), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return signatures.some((one) => verify(null, signed, key, Buffer.from(one.slice(4), 'base64')));
  });
};`;
