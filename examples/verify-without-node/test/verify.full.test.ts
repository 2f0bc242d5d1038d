/** Every example verifies what the service signs, and nothing else. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPair, generateSecret, sampleEvent, signedDelivery } from '@bot-directory/webhook-receiver/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../../../packages/testing/src/needs.ts';
import { program, type ProgramName } from '../../../scripts/programs.mjs';

const source = (name: string) => join(import.meta.dirname, '../src', name);
const folder = mkdtempSync(join(tmpdir(), 'verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

const goProgram = join(folder, 'verify');
type Language = {
  readonly needed: readonly ProgramName[];
  readonly compile?: () => unknown;
  readonly command: () => readonly [string, ...string[]];
};
const languages: Record<string, Language> = {
  Python: {
    needed: ['python3-cryptography'],
    command: () => [program('python3-cryptography'), source('verify.py')],
  },
  Go: {
    needed: ['go'],
    compile: () => execFileSync(program('go'), ['build', '-o', goProgram, source('verify.go')]),
    command: () => [goProgram],
  },
  Ruby: { needed: ['ruby'], command: () => [program('ruby'), source('verify.rb')] },
  PHP: { needed: ['php'], command: () => [program('php'), source('verify.php')] },
  Java: {
    needed: ['java', 'javac'],
    compile: () => execFileSync(program('javac'), ['-d', folder, source('Verify.java')]),
    command: () => [program('java'), '-cp', folder, 'Verify'],
  },
};

const { publicKey, privateKey } = await generateKeyPair();
const stranger = await generateKeyPair();
const secret = generateSecret();
const otherSecret = generateSecret();
const event = sampleEvent('bot.created', { name: 'Ünïcödé ✓' });
const sign = (at = Date.now(), key: string | string[] = [privateKey, secret]) => signedDelivery({ event, key, at });

for (const [language, { needed, compile, command }] of Object.entries(languages))
  describe(language, needs(...needed), () => {
    beforeAll(() => compile?.());
    const isVerified = async (
      keys: string | readonly string[],
      delivery: Awaited<ReturnType<typeof sign>>,
    ): Promise<boolean> => {
      const [file, ...args] = command();
      const variables = Object.entries(delivery.headers).map(([name, value]) => [
        name.toUpperCase().replaceAll('-', '_'),
        value,
      ]);
      const env = { ...process.env, ...(Object.fromEntries(variables) as Record<string, string>) };
      const child = spawn(file, [...args, ...[keys].flat()], { env, stdio: ['pipe', 'ignore', 'inherit'] });
      child.stdin.end(delivery.body);
      const [code] = (await once(child, 'close')) as [number];
      expect([0, 1]).toContain(code);
      return code === 0;
    };

    it('verifies both schemes, and refuses what is forged, altered or old', async () => {
      const good = await sign();
      const rotated = await sign(Date.now(), [stranger.privateKey, otherSecret, privateKey, secret]);
      const altered = { ...good, body: `${String(good.body)} ` };
      for (const key of [publicKey, secret]) {
        expect(await isVerified(key, good)).toBe(true);
        expect(await isVerified(key, rotated)).toBe(true);
        expect(await isVerified(key, altered)).toBe(false);
        expect(await isVerified(key, await sign(Date.now() - 3_600_000))).toBe(false);
        expect(await isVerified(key, await sign(Date.now() + 3_600_000))).toBe(false);
      }
      expect(await isVerified(stranger.publicKey, good)).toBe(false);
      expect(await isVerified(otherSecret, good)).toBe(false);
      const { 'webhook-signature': signature = '' } = good.headers;
      const swapped = signature.replace('v1a,', 'v0,').replace('v1,', 'v1a,').replace('v0,', 'v1,');
      for (const header of [swapped, 'v1a,', 'v1', '*'])
        for (const key of [publicKey, secret])
          expect(await isVerified(key, { ...good, headers: { ...good.headers, 'webhook-signature': header } })).toBe(
            false,
          );
    });

    it('verifies before, during and after one rotation, with either kind of key', async () => {
      const rotations = [
        { older: [publicKey, privateKey], newer: [stranger.publicKey, stranger.privateKey] },
        { older: [secret, secret], newer: [otherSecret, otherSecret] },
      ] as const;
      for (const { older, newer } of rotations) {
        const now = Date.now();
        expect(await isVerified(older[0], await sign(now, [older[1]]))).toBe(true);
        const both = await sign(now, [newer[1], older[1]]);
        for (const keys of [older[0], [older[0], newer[0]], [newer[0], older[0]], newer[0]])
          expect(await isVerified(keys, both)).toBe(true);
        const after = await sign(now, [newer[1]]);
        expect(await isVerified([older[0], newer[0]], after)).toBe(true);
        expect(await isVerified(newer[0], after)).toBe(true);
        expect(await isVerified(older[0], after)).toBe(false);
      }
    });
  });
