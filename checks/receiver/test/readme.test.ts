/**
 * Every example of the README is compiled against the built package, as a consumer's compiler would, and runs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { newestCompiler } from '@bot-directory/check-runtimes/compilers';
import { run } from '@bot-directory/testing/run';
import { afterAll, describe, expect, it } from 'vitest';
import { fetchHandler } from '@bot-directory/webhook-receiver/fetch';
import { createReceiver } from '@bot-directory/webhook-receiver';
import { generateSecret, signedDelivery } from '@bot-directory/webhook-receiver/testing';

const here = import.meta.dirname;
const readme = readFileSync(join(here, '../../../packages/webhook-receiver/README.md'), 'utf8');
const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
const folder = mkdtempSync(join(here, '.readme-'));
afterAll(() => rmSync(folder, { recursive: true }));

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

it('the README shows how to start, and all of its examples compile', async () => {
  expect(examples).toHaveLength(7);
  for (const [index, code] of examples.entries()) writeFileSync(join(folder, `example-${index}.mts`), code);
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023'],
    types: ['node'],
    module: 'NodeNext',
    strict: true,
    experimentalDecorators: true,
    outDir: 'built',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
  expect(await newestCompiler.compile(folder)).toBe('');
});

it('the README lists every code that is returned, and no other', () => {
  const table = readme.slice(readme.indexOf('## Responses'), readme.indexOf('## Try it'));
  const listed = [...table.matchAll(/^\|.*\|$/gm)].flatMap(([row]) =>
    [...row.matchAll(/`(\w+)`/g)].map(([, code]) => code),
  );
  const sources = ['errors', 'receive', 'handle-once']
    .map((name) => readFileSync(join(here, `../../../packages/webhook-receiver/src/${name}.ts`), 'utf8'))
    .join('');
  const answered = [...sources.matchAll(/(?:define\(|WebhookError\(|code(?::| =) )'(\w+)'/g)].map(([, code]) => code);
  // `pending` is the store's own word.
  const expected = new Set([...answered, 'pending']);
  expect(listed.filter((code) => code !== 'enqueue').sort()).toEqual([...expected].sort());
});

describe('the README’s line for', () => {
  const key = generateSecret();
  const f = fetchHandler(createReceiver({ keys: key, on: { ping: () => 'done' } }));
  /** What each framework does with what the line exports or passes. */
  const frameworks: [string, (made: never, request: Request) => unknown][] = [
    ['Next.js', (made: typeof f, request) => made(request)],
    ['SvelteKit', (made: (event: object) => unknown, request) => made({ request, params: {} })],
    ['React Router, Remix', (made: (event: object) => unknown, request) => made({ request, params: {} })],
    ['Workers', ({ fetch }: { fetch: (...args: unknown[]) => unknown }, request) => fetch(request, {}, {})],
    ['Bun', (made: { routes: Record<string, { POST: typeof f }> }, request) => made.routes['/hooks']?.POST(request)],
    ['Deno', (made: (...args: unknown[]) => unknown, request) => (made.length > 0 ? made(request, {}) : made())],
  ];

  it.each(frameworks)('%s answers as that framework calls it', async (name, call) => {
    const line = readme.split('\n').find((row) => row.startsWith(`| ${name} `)) ?? '';
    const expression = /`(.*)`/.exec(line)?.[1]?.replace(/^export (?:const \w+ =|default) /, '') ?? '';
    const file = join(folder, `${name.replace(/\W+/g, '-')}.mjs`);
    writeFileSync(file, `export default (f, Bun, Deno) => (${expression});`);
    const serve = (passed: unknown) => passed;
    const { default: make } = (await import(file)) as { default: (...args: unknown[]) => never };
    const { headers, body } = await signedDelivery({ key });
    const request = new Request('https://a.example/hooks', { method: 'POST', headers, body });
    const response = (await call(make(f, { serve }, { serve }), request)) as Response;
    expect([response.status, await response.text()]).toEqual([200, '{"code":"handled"}']);
  });
});

it('the README starts in five lines', () => {
  const [first = ''] = examples;
  expect(first.trim().split('\n')).toHaveLength(5);
  expect(first).toContain('.listen(');
});

it('the README calls the command by the name that is this package’s own', () => {
  expect(readme.match(/npx \S+/g)).toEqual(Array(4).fill('npx @bot-directory/webhook-receiver'));
});

describe('a build, which sets no variables, runs the example', () => {
  const names = ['WEBHOOK_KEY', 'WEBHOOK_SECRET'];
  const titles = examples.map((code, index): [title: string, index: number] => [code.split('\n', 1)[0] ?? '', index]);

  it.each(titles)('%s', async (_title, index) => {
    const file = join(folder, `built/run-${index}.mjs`);
    const built = readFileSync(join(folder, `built/example-${index}.mjs`), 'utf8');
    writeFileSync(file, built.replace('listen(8080)', 'listen(0)'));
    const unset = Object.fromEntries(Object.entries(process.env).filter(([variable]) => !names.includes(variable)));
    const program = `await import(${JSON.stringify(file)}); process.exit();`;
    const { code, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...unset, PORT: '0' },
    });
    expect([code, stderr]).toEqual([0, '']);
  });

  it('that reads no other variable', () => {
    const read = examples.join().matchAll(/process\.env\.(\w+)/g);
    expect([...new Set([...read].map(([, name]) => name))].sort()).toEqual(['PORT', ...names].sort());
  });
});

describe('the example for NestJS', () => {
  const code = examples.findIndex((example) => example.includes('@nestjs/core'));
  const key = generateSecret();
  const start = async (file: string) => {
    const port = await freePort();
    const child = spawn(process.execPath, [file], { env: { ...process.env, WEBHOOK_KEY: key, PORT: String(port) } });
    const stderr: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    const url = `http://127.0.0.1:${port}/hooks`;
    const post = async () => {
      const { headers, body } = await signedDelivery({ key });
      return fetch(url, { method: 'POST', headers, body });
    };
    await expect
      .poll(
        () =>
          fetch(url).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 120_000 },
      )
      .toBe(200);
    return { post, errors: () => Buffer.concat(stderr).toString(), stop: () => child.kill() };
  };

  /** The compiled example, on the platform that its comment names. */
  const platforms: Record<string, (built: string) => string> = {
    Express: (built) => built,
    Fastify: (built) =>
      `import { FastifyAdapter } from '@nestjs/platform-fastify';\n${built.replace(
        /NestFactory\.create\(.*\);/,
        `${/On Fastify: (.*)/.exec(examples[code] ?? '')?.[1] ?? ''};`,
      )}`,
  };

  it.each(Object.entries(platforms))('handles an event on %s', async (platform, onPlatform) => {
    const file = join(folder, `built/nest-${platform}.mjs`);
    writeFileSync(file, onPlatform(readFileSync(join(folder, `built/example-${code}.mjs`), 'utf8')));
    const app = await start(file);
    const response = await app.post();
    app.stop();
    expect([response.status, await response.text()]).toEqual([200, '{"code":"handled"}']);
  });

  it.each(Object.entries(platforms))('without rawBody on %s says what to set', async (platform, onPlatform) => {
    const file = join(folder, `built/nest-parsed-${platform}.mjs`);
    const built = onPlatform(readFileSync(join(folder, `built/example-${code}.mjs`), 'utf8'));
    writeFileSync(file, built.replaceAll('rawBody: true, ', ''));
    const app = await start(file);
    const response = await app.post();
    await expect.poll(app.errors).toContain('pass { rawBody: true } to NestFactory.create');
    expect(app.errors()).toContain(`in ${platform}`);
    app.stop();
    expect([response.status, await response.text()]).toEqual([500, '{"code":"body_already_parsed"}']);
  });
});
