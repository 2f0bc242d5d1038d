/** The code that the webhooks page shows. */
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

/** The check that the package makes, in a few lines of Node. It fetches the keys again after a key rotation. */
export const verifyByHand = (baseUrl: string): string => `import { createPublicKey, verify } from 'node:crypto';

let [keys, fetchedAt] = [[], -Infinity];
const fetchKeys = async () => {
  fetchedAt = Date.now();
  const response = await fetch('${baseUrl}/api/webhooks/keys');
  if (response.ok) keys = (await response.json()).keys;
};

/** \`body\` is the bytes as they came; \`headers\` has lower-case names. */
export const isGenuine = async (body, headers) => {
  if (!(Math.abs(Date.now() / 1000 - headers['webhook-timestamp']) <= 300)) return false;
  const signed = Buffer.concat([
    Buffer.from(\`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\`),
    body,
  ]);
  const signatures = headers['webhook-signature'].split(' ').filter((one) => one.startsWith('v1a,'));
  const isSigned = () =>
    keys.some(({ public_key }) => {
      const x = Buffer.from(public_key.slice('whpk_'.length), 'base64').toString('base64url');
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      return signatures.some((one) => verify(null, signed, key, Buffer.from(one.slice(4), 'base64')));
    });
  // A key that is no longer listed counts for an hour at most.
  if (Date.now() - fetchedAt > 3_600_000) await fetchKeys();
  if (isSigned()) return true;
  // A new key: look again, but not at every forgery.
  if (Date.now() - fetchedAt < 10_000) return false;
  await fetchKeys();
  return isSigned();
};`;
