/** The code of docs/SUBSCRIBING.md, compiled as a consumer's compiler would and run, and what it says of sizes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { newestCompiler } from '@bot-directory/check-runtimes/compilers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dedupe } from '@bot-directory/webhook-receiver';
import { sampleEvent } from '@bot-directory/webhook-receiver/testing';

const page = readFileSync(join(import.meta.dirname, '../../../docs/SUBSCRIBING.md'), 'utf8');
const codes = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);
const [subscriber = '', sqlDedupe = '', ...others] = codes('ts');
const folder = mkdtempSync(join(import.meta.dirname, '.subscribing-'));

beforeAll(async () => {
  writeFileSync(join(folder, 'subscriber.mts'), subscriber);
  writeFileSync(join(folder, 'sql-dedupe.mts'), sqlDedupe);
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023'],
    types: ['node'],
    module: 'NodeNext',
    strict: true,
    outDir: 'built',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
  expect(await newestCompiler.compile(folder)).toBe('');
});
afterAll(() => rmSync(folder, { recursive: true }));

it('the page has no other code in TypeScript, which would need a test', () => expect(others).toEqual([]));

describe('the store of handled ids in SQL', () => {
  let db: PGlite;
  let dedupe: Dedupe;
  const leaseMs = 60_000;
  beforeAll(async () => {
    db = await PGlite.create();
    for (const statement of codes('sql')) await db.exec(statement);
    const module = (await import(join(folder, 'built/sql-dedupe.mjs'))) as {
      sqlDedupe: (query: (text: string, values: unknown[]) => Promise<{ rows: object[] }>) => Dedupe;
    };
    dedupe = module.sqlDedupe((text, values) => db.query<object>(text, values));
  });
  afterAll(() => db.close());

  it('leases an event to one attempt, and gives it to another when that fails or overruns', async () => {
    const attempts = Array.from({ length: 20 }, (_, i) => ({ id: 'evt_1', token: `token-${i}` }));
    const begun = await Promise.all(attempts.map(async (attempt) => dedupe.begin(attempt, leaseMs)));
    expect(begun.filter((one) => one === 'new')).toHaveLength(1);
    expect(begun.filter((one) => one === 'pending')).toHaveLength(19);
    const first = attempts[begun.indexOf('new')];
    const second = attempts[begun.indexOf('pending')];
    if (first === undefined || second === undefined) throw new Error('nobody has the lease');
    await dedupe.rollback(second);
    expect(await dedupe.begin(second, leaseMs)).toBe('pending');
    await dedupe.rollback(first);
    expect(await dedupe.begin(second, 0)).toBe('new');
    expect(await dedupe.begin(first, leaseMs)).toBe('new');
  });

  it('remembers what was handled for as long as it should', async () => {
    const attempt = { id: 'evt_2', token: 'a' };
    const later = { id: 'evt_2', token: 'b' };
    expect(await dedupe.begin(attempt, leaseMs)).toBe('new');
    await dedupe.commit(attempt, leaseMs);
    expect(await dedupe.begin(later, leaseMs)).toBe('done');
    await dedupe.rollback(later);
    expect(await dedupe.begin(later, leaseMs)).toBe('done');
    await dedupe.commit(attempt, 0);
    expect(await dedupe.begin(later, leaseMs)).toBe('new');
  });
});

it('the largest body is below the size that the page states', () => {
  const integration = 'x'.repeat(50);
  const event = sampleEvent('bot.created', {
    name: '🤖'.repeat(100),
    description: '🤖'.repeat(500),
    author: `@${'x'.repeat(30)}`,
    categories: Array<string>(3).fill('x'.repeat(100)),
    integrations: Array<string>(24).fill(integration),
    source_url: `https://x.com/${'x'.repeat(30)}/status/${'1'.repeat(30)}`,
    url: `https://${'x'.repeat(253)}/bots/${'x'.repeat(70)}`,
  });
  const [, kilobytes = ''] = /smaller than (\d+) KB/.exec(page) ?? [];
  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(Number(kilobytes) * 1_000);
});
