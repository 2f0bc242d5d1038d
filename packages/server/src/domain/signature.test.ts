import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseSigningKey, signatureHeader, signingKeyText, type SigningKey } from './signature.ts';

const parsed = (text: string): SigningKey => {
  const key = parseSigningKey(text);
  if (!key.ok) throw new Error(key.why);
  return key.value;
};

/** RFC 8032 §7.1, test 1. */
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const publicKey = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');

describe('a signing key', () => {
  it('is the public key of its seed (RFC 8032)', () => {
    expect(parsed(signingKeyText(seed)).publicKey).toBe(`whpk_${publicKey.toString('base64')}`);
  });

  it('may carry its public key, which must be its own', () => {
    expect(parsed(`whsk_${Buffer.concat([seed, publicKey]).toString('base64')}`)).toMatchObject({
      publicKey: `whpk_${publicKey.toString('base64')}`,
    });
    expect(parseSigningKey(`whsk_${Buffer.concat([seed, seed]).toString('base64')}`).ok).toBe(false);
  });

  it.each(['', 'whsk_', 'whsk_c2hvcnQ=', `whpk_${publicKey.toString('base64')}`, seed.toString('base64')])(
    'refuses %j',
    (text) => {
      expect(parseSigningKey(text).ok).toBe(false);
    },
  );
});

it('signs id, timestamp and body with every key, newest first', () => {
  const keys = [parsed(signingKeyText(seed)), parsed(signingKeyText(Buffer.alloc(32, 7)))];
  const body = Buffer.from('{"id":"evt_1"}');
  const signatures = signatureHeader(keys, { id: 'evt_1', timestampSec: 1_795_240_595, body }).split(' ');
  expect(signatures).toHaveLength(2);
  for (const [i, signature] of signatures.entries()) {
    const raw = Buffer.from(keys[i]?.publicKey.slice(5) ?? '', 'base64');
    const spki = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]),
      format: 'der',
      type: 'spki',
    });
    expect(signature.startsWith('v1a,')).toBe(true);
    expect(
      verify(null, Buffer.from('evt_1.1795240595.{"id":"evt_1"}'), spki, Buffer.from(signature.slice(4), 'base64')),
    ).toBe(true);
    expect(
      verify(
        null,
        Buffer.from('evt_1.1795240595.{"id":"evt_1"}'),
        generateKeyPairSync('ed25519').publicKey,
        Buffer.from(signature.slice(4), 'base64'),
      ),
    ).toBe(false);
  }
});
