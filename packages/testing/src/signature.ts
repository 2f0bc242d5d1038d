/** Verifies deliveries without the code that signs them. */
import { createPublicKey, verify } from 'node:crypto';
import type { Received } from './receiver.ts';

/** Checks a signature by the text of the Standard Webhooks specification, with no code of ours. */
export const isSignedBy = (publicKey: string, { headers, body }: Pick<Received, 'headers' | 'body'>): boolean => {
  const raw = Buffer.from(publicKey.replace('whpk_', ''), 'base64');
  const key = createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]),
    format: 'der',
    type: 'spki',
  });
  const content = Buffer.concat([
    Buffer.from(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`),
    body,
  ]);
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => verify(null, content, key, Buffer.from(signature.replace('v1a,', ''), 'base64')));
};
