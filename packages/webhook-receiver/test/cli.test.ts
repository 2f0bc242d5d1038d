/** The command line as it is installed: a process of its own, against right and wrong receivers. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { nodeListener } from '../src/adapters/node.ts';
import { createReceiver, parse } from '../src/index.ts';
import { generateKeyPair, generateSecret } from '../src/testing/index.ts';
import { run } from '@bot-directory/runtimes';

const main = join(import.meta.dirname, '../dist/cli.js');
const [{ publicKey, privateKey }, secret] = [await generateKeyPair(), generateSecret()];

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

  it('tells what was refused, and by whom nobody was met', async () => {
    expect(await cli('send', url, '--key', generateSecret())).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('401 invalid_signature'),
    });
    expect(await cli('send', 'http://127.0.0.1:9/')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('no answer: '),
    });
  });
});

describe('check', () => {
  const table = (stdout: string) => stdout.split('\n').map((line) => line.trim().split(/ {2,}/));

  it('passes a right receiver, which handles three of nine deliveries', async () => {
    const { code, stdout } = await cli('check', url);
    expect(table(stdout)).toEqual([
      ['delivery', 'expected', 'answered'],
      ['ok', 'valid', '2xx', '200 handled'],
      ['ok', 'duplicate', '2xx', '200 duplicate'],
      ['ok', 'bad signature', '4xx', '401 invalid_signature'],
      ['ok', 'an hour old', '4xx', '401 timestamp_too_old'],
      ['ok', 'an hour in the future', '4xx', '401 timestamp_too_new'],
      ['ok', 'unknown type', '2xx', '200 ignored'],
      ['ok', 'oversize (1 MiB)', '4xx', '413 body_too_large'],
      ['ok', 'not JSON', '4xx', '400 invalid_json'],
      ['ok', 're-spaced JSON', '2xx', '200 handled'],
      ['All is well.'],
      [''],
    ]);
    expect(code).toBe(0);
    expect(handled).toEqual(['ping', 'ping']);
  });

  it('sends bots when told to', async () => {
    expect(await cli('check', url, '--type', 'bot.created')).toMatchObject({ code: 0 });
    expect(handled).toEqual(['bot.created', 'bot.created']);
  });

  it('finds the receiver that takes everything', async () => {
    const { code, stdout } = await cli(
      'check',
      await listen((request, response) => void request.resume().on('end', () => response.end())),
    );
    expect([
      code,
      table(stdout)
        .filter(([mark]) => mark === 'BAD')
        .map(([, name]) => name),
    ]).toEqual([1, ['bad signature', 'an hour old', 'an hour in the future', 'oversize (1 MiB)', 'not JSON']]);
    expect(stdout).toContain('Not as they should be: 5.');
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
    expect(table(stdout)).toContainEqual(['BAD', 're-spaced JSON', '2xx', '401']);
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
])('%j is told what it lacks', async (args, expected) => {
  const { code, stdout, stderr } = await cli(...args);
  expect([code, stdout, stderr.includes('    at ')]).toEqual([2, '', false]);
  expect(stderr).toContain(expected);
});

it('explains itself', async () =>
  expect(await cli('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('WEBHOOK_KEY') }));
