import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { contract, limits, openApi, problems, type Problem } from '@bot-directory/contract';
import { templateHost } from '@bot-directory/testing/provider';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { defaultCategories } from '../../../src/domain/names.ts';

const service = useStarted(startService);

const writes = Object.entries(contract).filter(([, { method }]) => method !== 'GET');
const pathOf = (path: string): string => path.replace(':slug', 'a-bot');

describe('any route', () => {
  it.each(['/api/nothing', '/api/bots/a/b', '/nothing', '/api/bots/a/integrations/b', '/API/bots'])(
    'is a 404 if there is none: %s',
    async (path) => {
      const answer = await service.get<Problem>(path);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    },
  );

  it.each([
    ['PUT', '/api/bots', 'GET, HEAD, OPTIONS'],
    ['GET', '/api/bots/submit', 'POST, OPTIONS'],
    ['PATCH', '/api/feed', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/api/webhooks/bots', 'POST, DELETE, OPTIONS'],
    ['DELETE', '/api/bots/a-bot', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/bots/a-bot', 'GET, HEAD, OPTIONS'],
  ])('refuses other methods with a 405 that names its own: %s %s', async (method, path, allow) => {
    const answer = await service.api<Problem>(method, path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  });

  it.each(writes)('refuses unreadable JSON: %s', async (_name, { method, path, metadata }) => {
    const empty = metadata.bodyOptional === true ? [] : [''];
    for (const body of ['{"url":', ...empty, 'nonsense', '"text"', '\u0000']) {
      const answer = await service.api<Problem>(method, pathOf(path), {
        body,
        headers: { 'Content-Type': 'application/json' },
      });
      expect(answer.status).toBe(400);
      expect(['unreadable_json', 'invalid_request']).toContain(answer.body.code);
    }
  });

  it.each(writes)('takes nothing but an object: %s', async (_name, { method, path }) => {
    for (const body of ['1', 'true', 'null', '"text"', '[]', '[{}]']) {
      const answer = await service.api<Problem>(method, pathOf(path), {
        body,
        headers: { 'Content-Type': 'application/json' },
      });
      expect([body, answer.status, answer.body.code]).toEqual([body, 400, 'invalid_request']);
      expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual(['']);
    }
  });

  it.each(['gzip', 'deflate', 'br'])('refuses a body that is not %s, although it says so', async (encoding) => {
    const answer = await service.api<Problem>('POST', '/api/feed', {
      body: '{"url":"x"}',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': encoding },
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'unreadable_json']);
  });

  it.each(['/api/bots/%E0%A4%A/integrations', '/bots/%E0%A4%A/install'])(
    'is a 404 for an escape that cannot be decoded: %s',
    async (path) => {
      const answer = await service.api<Problem>('POST', path, { body: { integrations: ['slack'] } });
      expect([answer.status, answer.body.code]).toEqual([404, 'bot_not_found']);
    },
  );

  it('takes a body of exactly 32 KB, and a compressed one that inflates to it', async () => {
    const unpadded = JSON.stringify({ url: 'https://x.com/jo/status/1', padding: '' });
    const body = JSON.stringify({
      url: 'https://x.com/jo/status/1',
      padding: 'x'.repeat(limits.bodyBytes - unpadded.length),
    });
    const send = (bytes: string | Buffer<ArrayBuffer>, headers = {}) =>
      fetch(`${service.url}/api/feed`, {
        method: 'POST',
        body: bytes,
        headers: { 'Content-Type': 'application/json', ...headers },
      });
    expect(body).toHaveLength(32_768);
    expect((await send(body)).status).toBe(200);
    expect((await send(gzipSync(body), { 'Content-Encoding': 'gzip' })).status).toBe(409);
    expect((await send(gzipSync(`${body} `), { 'Content-Encoding': 'gzip' })).status).toBe(413);
  });

  it.each(writes)('refuses more than 32 KB with a 413: %s', async (_name, { method, path }) => {
    const answer = await service.api<Problem>(method, pathOf(path), {
      body: JSON.stringify({ padding: 'x'.repeat(limits.bodyBytes) }),
      headers: { 'Content-Type': 'application/json' },
    });
    expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large']);
  });

  it.each(writes)(
    'refuses a body without Content-Type with a 415 that names it: %s',
    async (_name, { method, path }) => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
        const answer = await service.api<Problem>(method, pathOf(path), {
          body: '{}',
          headers: { 'Content-Type': type },
        });
        expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
        expect(answer.body.detail).toContain('Content-Type: application/json');
      }
      const encoded = await service.api<Problem>(method, pathOf(path), {
        body: '{}',
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'nonsense' },
      });
      expect(encoded.status).toBe(415);
    },
  );

  it('takes JSON with a charset, and other JSON types', async () => {
    for (const type of ['application/json; charset=UTF-8', 'application/problem+json', 'APPLICATION/JSON']) {
      expect(
        (await service.api('POST', '/api/feed', { body: '{"url":"x"}', headers: { 'Content-Type': type } })).status,
      ).toBe(400);
    }
  });

  it.each([
    '/api/bots',
    '/api/bots/submit',
    '/api/bots/a-bot/integrations',
    '/api/feed',
    '/api/webhooks/bots',
    '/api/unknown',
  ])('answers the preflight of %s', async (path) => {
    const answer = await service.api('OPTIONS', path, {
      headers: {
        Origin: 'https://app.example.com',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-other',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-headers')).toBe('content-type,x-other');
    expect(answer.headers.get('access-control-allow-methods')).toMatch(/GET|POST/);
    expect(answer.headers.get('access-control-max-age')).toBe('7200');
  });

  it('gives every request an id of its own, which its problem repeats', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await service.get<Problem>('/api/nothing')).body.request_id),
    );
    expect(new Set(ids).size).toBe(20);
  });

  it('explains each code on the page that its type names', async () => {
    const answer = await service.get<Problem>('/api/nothing');
    expect(answer.body.type).toBe(`${service.url}/problems/not_found`);
    for (const code of Object.keys(problems)) expect((await fetch(`${service.url}/problems/${code}`)).status).toBe(200);
    expect((await service.get<Problem>('/problems/toString')).body.code).toBe('not_found');
  });

  it('serves the OpenAPI document of its own address, hosts and categories', async () => {
    const answer = await service.get('/api/openapi.json');
    const instance = { templateHost, socialHosts: ['x.com', 'twitter.com'] as const, categories: defaultCategories };
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(openApi(service.url, instance))));
    const headers = { 'If-None-Match': answer.headers.get('etag') ?? '' };
    expect((await service.api('GET', '/api/openapi.json', { headers })).status).toBe(304);
    await until('it is compressed', async () => {
      const { headers } = await fetch(`${service.url}/api/openapi.json`, { headers: { 'Accept-Encoding': 'gzip' } });
      return headers.get('content-encoding') === 'gzip';
    });
  });

  it('survives a request that breaks off in its body', async () => {
    const broken = await new Promise<string>((resolve) => {
      const req = request(service.url, {
        method: 'POST',
        path: '/api/feed',
        headers: { 'Content-Length': '10', 'Content-Type': 'application/json' },
      });
      req.on('error', () => undefined).on('close', () => resolve('closed'));
      req.write('{', () => req.destroy());
    });
    expect(broken).toBe('closed');
    expect((await service.get('/healthz')).status).toBe(200);
  });
});
