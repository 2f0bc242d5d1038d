/** The command line as it is installed: a process of its own, against right and wrong receivers. */
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import express from 'express';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { nodeListener } from '../src/adapters/node.ts';
import { createReceiver, type Dedupe, parse } from '../src/index.ts';
import { generateKeyPair, generateSecret } from '../src/testing/index.ts';
import { testCertificate } from '@bot-directory/testing/certificate';
import { run } from '@bot-directory/testing/run';

const main = join(import.meta.dirname, '../dist/cli.js');
const { publicKey, privateKey } = await generateKeyPair();
const secret = generateSecret();

const closers: (() => unknown)[] = [];
afterAll(() => closers.map((close) => close()));
const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

const handled: string[] = [];
beforeEach(() => void (handled.length = 0));
const note = ({ type }: { type: string }) => void handled.push(type);
const url = await listen(
  nodeListener(
    createReceiver({ keys: [publicKey, secret], on: { ping: note, 'bot.created': note }, onError: () => {} }),
  ),
);

const env = { ...process.env, WEBHOOK_KEY: privateKey };
const cli = (...args: string[]) => run(process.execPath, [main, ...args], { env });

describe('send', () => {
  it('posts a ping, or a bot, with a key of either kind', async () => {
    expect(await cli('send', url)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ping evt_\w{26}: 200 handled\n$/),
      stderr: '',
    });
    const created = await cli('send', url, '--type', 'bot.created', '--key', secret);
    expect(created).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^bot\.created evt_\w{26}: 200 handled\n$/),
      stderr: '',
    });
    expect(handled).toEqual(['ping', 'bot.created']);
  });

  it('reports a refusal, and a receiver that cannot be reached', async () => {
    expect(await cli('send', url, '--key', generateSecret())).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('401 invalid_signature'),
    });
    expect(await cli('send', 'http://127.0.0.1:9/')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('no response: '),
    });
  });

  it('sends headers, and trusts an authority of its own', async () => {
    const { key, cert, ca } = await testCertificate();
    const seen: IncomingHttpHeaders[] = [];
    const server = createHttpsServer({ key, cert }, (request, response) => {
      seen.push(request.headers);
      nodeListener(createReceiver({ keys: publicKey, on: { ping: note }, onError: () => {} }))(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    const to = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const refused = await cli('send', to);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('--ca names a file')]);
    const file = join(await mkdtemp(join(tmpdir(), 'authority-')), 'ca.pem');
    await writeFile(file, ca);
    const own = ['--ca', file, '--header', 'X-Api-Key: abc: d'];
    for (const command of ['send', 'check']) expect(await cli(command, to, ...own)).toMatchObject({ code: 0 });
    expect(seen.length).toBeGreaterThan(16);
    expect(new Set(seen.map((headers) => headers['x-api-key']))).toEqual(new Set(['abc: d']));
  });
});

describe('test', () => {
  it.each([
    [{ failure: null, detail: 'It responded with 204.' }, 0],
    [{ failure: 'status', detail: 'It responded with 503, not with a 2xx status.' }, 1],
  ])('has a directory ping a URL, and prints what it says: %j', async (result, code) => {
    const sent: unknown[] = [];
    const directory = await listen((request, response) => {
      void text(request).then((body) => {
        sent.push([request.method, request.url, JSON.parse(body)]);
        response.end(JSON.stringify(result));
      });
    });
    const hook = 'https://hooks.example.com/bots';
    expect(await cli('test', hook, '--directory', directory)).toMatchObject({ code, stdout: `${result.detail}\n` });
    expect(sent).toEqual([['POST', '/api/webhooks/bots/test', { url: hook }]]);
  });
});

describe('check', () => {
  it('says in one line that a receiver cannot be reached, and why', async () => {
    const { code, stdout } = await cli('check', 'http://127.0.0.1:9/');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/: no response: .+\n$/)]);
  });

  const table = (stdout: string) => stdout.split('\n').map((line) => line.trim().split(/ {2,}/));

  const rows = (stdout: string) => table(stdout).filter(([mark]) => mark === 'ok' || mark === 'BAD');
  const bad = (stdout: string) => rows(stdout).flatMap(([mark, name]) => (mark === 'BAD' ? [name] : []));

  it('passes a correct receiver, which handles three deliveries', async () => {
    const { code, stdout } = await cli('check', url);
    expect(rows(stdout).map((row) => row.slice(0, 4))).toEqual([
      ['ok', 'valid', '2xx', '200 handled'],
      ['ok', 'duplicate', '2xx', '200 duplicate'],
      ['ok', 'no webhook headers', '4xx', '400 missing_header'],
      ['ok', 'no signature', '4xx', '400 missing_header'],
      ['ok', 'bad signature', '4xx', '401 invalid_signature'],
      ['ok', 'unknown key', '4xx', '401 invalid_signature'],
      ['ok', 'changed body', '4xx', '401 invalid_signature'],
      ['ok', 'changed id', '4xx', '401 invalid_signature'],
      ['ok', 'changed timestamp', '4xx', '401 invalid_signature'],
      ['ok', 'foreign signature first', '2xx', '200 handled'],
      ['ok', 'an hour old', '4xx', '401 timestamp_too_old'],
      ['ok', 'an hour in the future', '4xx', '401 timestamp_too_new'],
      ['ok', 'unknown type', '2xx', '200 ignored'],
      ['ok', 'oversize (1 MiB)', '4xx', '413 body_too_large'],
      ['ok', 'not JSON', '4xx', '400 invalid_json'],
      ['ok', 're-spaced JSON', '2xx', '200 handled'],
    ]);
    for (const [, name, , , otherwise = ''] of rows(stdout)) expect(otherwise.length, name).toBeGreaterThan(15);
    expect(stdout).toContain('cannot be seen from outside');
    expect(code).toBe(0);
    expect(handled).toEqual(['ping', 'ping', 'ping']);
  });

  it('sees whether a duplicate is handled twice, given a URL that counts', async () => {
    let count = 0;
    const counting = (dedupe?: Dedupe) => {
      const receiver = createReceiver({ keys: publicKey, on: { ping: () => (count += 1) }, onError: () => {}, dedupe });
      const listener = nodeListener(receiver);
      return listen((request, response) =>
        request.method === 'GET' ? void response.end(`${count}`) : listener(request, response),
      );
    };
    const right = await counting();
    const passed = await cli('check', right, '--count', right);
    expect([passed.code, passed.stdout.includes('All checks passed.')]).toEqual([0, true]);
    const forgetful = await counting({ begin: () => 'new', commit: () => {}, rollback: () => {} });
    const { code, stdout } = await cli('check', forgetful, '--count', forgetful);
    expect([code, bad(stdout)]).toEqual([1, ['handled once']]);
    expect(stdout).toMatch(/BAD +handled once +1 +2 +an event is handled twice/);
  });

  it.each([
    ['a key that cannot sign', ['--key', 'whsk_bad'], /^a whsk_ key is the base64 of 32 or 64 bytes\n$/],
    ['a public key', ['--key', publicKey], /^a public key cannot sign: use the whsk_ key\n$/],
    ['a count that cannot be reached', ['--count', 'http://127.0.0.1:9/'], /^--count must return a number, not: .+\n$/],
    ['a count that is not a number', ['--count', url], /^--count must return a number, not: .+\n$/],
  ])('says of %s that it is the caller’s mistake, and sends nothing', async (_name, args, why) => {
    const { code, stdout, stderr } = await cli('check', url, ...args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(why)]);
    expect(handled).toEqual([]);
  });

  it.each<[string, (headers: Record<string, string>) => Record<string, string> | null, string[]]>([
    [
      'verifies only when the signature header is there',
      (headers) => (headers['webhook-signature'] === undefined ? null : headers),
      ['no webhook headers', 'no signature'],
    ],
    [
      'reads the first signature only',
      (headers) => ({ ...headers, 'webhook-signature': String(headers['webhook-signature']).split(' ')[0] ?? '' }),
      ['foreign signature first'],
    ],
  ])('finds the receiver that %s', async (_, seen, expected) => {
    const receiver = createReceiver({ keys: publicKey, on: { ping: note }, onError: () => {} });
    const insecure = await listen((request, response) => {
      const headers = seen(request.headers as Record<string, string>);
      if (headers === null) return void request.resume().on('end', () => response.end());
      Object.defineProperty(request, 'headers', { value: headers });
      return nodeListener(receiver)(request, response);
    });
    const { code, stdout } = await cli('check', insecure);
    expect([code, bad(stdout)]).toEqual([1, expected]);
  });

  it('sends bots with --type bot.created', async () => {
    expect(await cli('check', url, '--type', 'bot.created')).toMatchObject({ code: 0 });
    expect(handled).toEqual(['bot.created', 'bot.created', 'bot.created']);
  });

  it('finds the receiver that takes everything', async () => {
    const { code, stdout } = await cli(
      'check',
      await listen((request, response) => void request.resume().on('end', () => response.end())),
    );
    expect([code, bad(stdout)]).toEqual([
      1,
      [
        'no webhook headers',
        'no signature',
        'bad signature',
        'unknown key',
        'changed body',
        'changed id',
        'changed timestamp',
        'an hour old',
        'an hour in the future',
        'oversize (1 MiB)',
        'not JSON',
      ],
    ]);
    expect(stdout).toContain('Checks failed: 11.');
  });

  it('finds the receiver that parses the body and writes it again', async () => {
    const app = express().post('/', express.json(), (request, response) => {
      const answer = (status: number) => void response.status(status).end();
      parse(JSON.stringify(request.body), request.headers, { keys: publicKey }).then(
        () => answer(200),
        () => answer(401),
      );
    });
    const { stdout } = await cli('check', await listen(app));
    expect(bad(stdout)).toContain('re-spaced JSON');
  });
});

it('makes a key pair that works', async () => {
  const { code, stdout } = await cli('key');
  const [made = '', own = ''] = stdout.match(/wh[ps]k_\S+/g) ?? [];
  expect([code, made.slice(0, 5), own.slice(0, 5)]).toEqual([0, 'whpk_', 'whsk_']);
  const other = await listen(nodeListener(createReceiver({ keys: made, on: { ping: note } })));
  expect(await cli('send', other, '--key', own)).toMatchObject({ code: 0 });
});

it.each([
  [[], 'send URL'],
  [['fly', 'https://a.example'], 'send URL'],
  [['send', 'https://a.example', 'more'], 'send URL'],
  [['send'], 'needs a URL'],
  [['check', 'ftp://a.example'], 'needs a URL'],
  [['send', 'https://a.example', '--type', 'pong'], 'ping or bot.created'],
  [['send', 'https://a.example', '--key', ''], 'WEBHOOK_KEY'],
  [['send', 'https://a.example', '--key', 'whsk_short'], 'base64'],
  [['send', 'https://a.example', '--key', publicKey], 'whsk_'],
  [['send', 'https://a.example', '--kee', 'x'], "Unknown option '--kee'"],
  [['send', 'https://a.example', '--header', 'X-Api-Key'], '--header must be'],
  [['send', 'https://a.example', '--ca', '/nowhere.pem'], '/nowhere.pem'],
  [['test', 'https://a.example'], 'its directory'],
])('%j fails with what it lacks', async (args, expected) => {
  const { code, stdout, stderr } = await cli(...args);
  expect([code, stdout, stderr.includes('    at ')]).toEqual([2, '', false]);
  expect(stderr).toContain(expected);
});

it('explains itself', async () =>
  expect(await cli('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('WEBHOOK_KEY') }));
