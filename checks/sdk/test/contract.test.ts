/** A contract that drifts from the SDK's types fails the build. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { WebhookStatus } from '@bot-directory/sdk';
import { newestCompiler } from '@bot-directory/check-runtimes/compilers';

const here = import.meta.dirname;

it('leaves the enums of responses open', () => {
  expectTypeOf<'a value of tomorrow'>().toExtend<WebhookStatus['state']>();
});

describe('a drift planted in the contract', () => {
  const planted = mkdtempSync(join(here, '.planted-'));
  afterAll(() => rmSync(planted, { recursive: true }));

  const plant = (file: string, from: string | RegExp, to: string) => {
    const path = join(planted, 'contract', file);
    const source = readFileSync(path, 'utf8');
    const changed = source.replace(from, to);
    expect(changed).not.toBe(source);
    writeFileSync(path, changed);
  };

  it('is named by the type checker, operation by operation', async () => {
    cpSync(join(here, '../../../packages/contract/src'), join(planted, 'contract'), { recursive: true });
    plant('index.ts', "export * from './openapi.ts';", '');
    for (const part of ['openapi.ts', 'openapi']) rmSync(join(planted, 'contract', part), { recursive: true });
    plant(
      'bot.ts',
      "slug: text('URL slug. Never changes",
      "planted: z.string(),\n    slug: text('URL slug. Never changes",
    );
    plant(
      'webhook.ts',
      'failures_in_a_row: count(',
      'failures_in_a_row: text(`planted`, `planted`), planted_count: count(',
    );
    plant(
      'post.ts',
      'export const newPost = z.object({',
      'export const newPost = z.object({ planted: z.string().optional(),',
    );
    plant('listing.ts', /(botSorts = \['\w+').*\]/, '$1]');
    plant(
      'contract.ts',
      "checks: ['directory_unavailable', 'bot_not_found', 'bot_gone'],",
      "checks: ['directory_unavailable', 'bot_not_found', 'bot_gone', 'rate_limited'],",
    );
    const paths = {
      '@bot-directory/contract': ['./contract/index.ts'],
      '@ts-rest/core': ['../../../../packages/contract/node_modules/@ts-rest/core'],
    };
    writeFileSync(
      join(planted, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { paths },
        include: ['../types/contract-types.ts'],
      }),
    );
    expect(differing(await newestCompiler.compile(planted))).toEqual({
      inputs: ['addPost', 'listBots'],
      answers: ['getBot', 'getWebhookStatus', 'listBots', 'listEvents', 'submitBot'],
      problems: ['getBot'],
    });
  });

  /** Returns the operations that the compiler reports as missing, by the variable of the error. */
  const differing = (output: string): Record<string, string[]> => {
    const source = readFileSync(join(here, 'types/contract-types.ts'), 'utf8').split('\n');
    const errors = [...output.matchAll(/contract-types\.ts\((\d+),\d+\): error TS27(?:39|41): (.*)/g)];
    return Object.fromEntries(
      errors.map(([, line, message = '']) => {
        const variable = /export const (\w+)/.exec(source[Number(line) - 1] ?? '')?.[1] ?? '';
        const names = /Property '(\w+)' is missing|: ([\w, ]+)$/.exec(message);
        return [variable, (names?.[1] ?? names?.[2] ?? '').split(', ').sort()];
      }),
    );
  };
});
