/** The generated files are what the contract gives, and a contract that drifts from them fails the build. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as contractModule from '@bot-directory/contract';
import * as z from 'zod';
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import { renderType } from '../scripts/render-type.ts';
import { makeSources } from '../scripts/sources.ts';
import type { WebhookStatus } from '../src/index.ts';
import { run } from './support/run.ts';

const { contract, problem } = contractModule;
const here = import.meta.dirname;
const committed = (name: string) => readFileSync(join(here, '../src', name), 'utf8');

describe('the generated files', () => {
  it('are what the generator writes', () => {
    const { types, operations } = makeSources(contractModule);
    expect(types).toBe(committed('types.gen.ts'));
    expect(operations).toBe(committed('operations.gen.ts'));
  });

  it('are others when the contract drifts', () => {
    const drifted = (getBot: object) =>
      makeSources({ contract: { ...contract, getBot: { ...contract.getBot, ...getBot } }, problem });
    const bot = contract.getBot.responses[200].extend({ planted: z.string() });
    expect(drifted({ responses: { 200: bot.meta({ id: 'Bot' }) } }).types).not.toBe(committed('types.gen.ts'));
    expect(drifted({ path: '/api/robots/:slug' }).operations).not.toBe(committed('operations.gen.ts'));
    expect(() => drifted({ responses: { 200: bot } })).toThrow('getBot: give the schema of its answer a name');
    expect(() => drifted({ query: z.object({ slug: z.string() }) })).toThrow('getBot: two parameters share a name');
  });

  it('are refused for a schema that the generator does not know', () => {
    expect(() => renderType({ type: 'tuple' }, 'output')).toThrow(TypeError);
    expect(() => renderType({ const: 7 }, 'output')).toThrow(TypeError);
  });

  it('leave the enums of answers open', () => {
    expect(renderType({ enum: ['a', 'b'] }, 'output')).toBe("'a' | 'b' | (string & {})");
    expect(renderType({ enum: ['a', 'b'] }, 'input')).toBe("'a' | 'b'");
    expectTypeOf<'a value of tomorrow'>().toExtend<WebhookStatus['state']>();
  });
});

describe('a drift planted in the contract', () => {
  const planted = mkdtempSync(join(here, '.planted-'));
  afterAll(() => rmSync(planted, { recursive: true }));

  const plant = (file: string, from: string, to: string) => {
    const path = join(planted, 'contract', file);
    const source = readFileSync(path, 'utf8');
    expect(source).toContain(from);
    writeFileSync(path, source.replace(from, to));
  };

  it('is named by the type checker, operation by operation', async () => {
    cpSync(join(here, '../../contract/src'), join(planted, 'contract'), { recursive: true });
    plant('index.ts', "export * from './openapi.ts';", '');
    rmSync(join(planted, 'contract/openapi.ts'));
    plant(
      'bot.ts',
      "slug: z.string().describe('URL slug.",
      "planted: z.string(),\n    slug: z.string().describe('URL slug.",
    );
    plant('webhook.ts', 'failures_in_a_row: z.int()', 'failures_in_a_row: z.string()');
    plant(
      'post.ts',
      'export const newPost = z.object({',
      'export const newPost = z.object({ planted: z.string().optional(),',
    );
    plant('listing.ts', 'sort: z.enum(botSorts)', "sort: z.enum(['newest'])");
    plant('contract.ts', "problemResponses('bot_not_found',", "problemResponses('bot_not_found', 'rate_limited',");
    const paths = {
      '@bot-directory/contract': ['./contract/index.ts'],
      '@ts-rest/core': ['../../../contract/node_modules/@ts-rest/core'],
    };
    writeFileSync(
      join(planted, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { paths },
        include: ['../types/contract-types.ts'],
      }),
    );
    const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', planted]);
    expect(differing(stdout)).toEqual({
      inputs: ['addPost', 'listBots'],
      answers: ['getBot', 'getWebhookStatus', 'listBots', 'listEvents'],
      problems: ['getBot'],
    });
  });

  /** Which operations an error says are missing, by the variable that it stands at. */
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
