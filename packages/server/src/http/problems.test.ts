import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { problem, problems, type ProblemCode } from '@bot-directory/contract';
import { Failure, StoreUnreachable } from '../base/failure.ts';
import { asFailure, listFailure, sendProblem } from './problems.ts';

describe('an error', () => {
  it.each<[string, unknown, ProblemCode | undefined]>([
    ['an expected failure', new Failure('bot_not_found', 'd'), 'bot_not_found'],
    ['the store away', new StoreUnreachable('away'), 'store_unavailable'],
    ['a slug that cannot be decoded', Object.assign(new URIError('u'), { status: 400 }), 'bot_not_found'],
    ['a bug', new TypeError('t'), undefined],
    ['a bug in a library', Object.assign(new Error('from a library'), { status: 400 }), undefined],
    ['something thrown that is no error', 'text', undefined],
  ])('stands for a failure: %s', (_what, error, code) => {
    expect(asFailure(error)?.code).toBe(code);
  });

  it('of the store is a 500 of its own for a list, and any other stays', () => {
    expect(asFailure(listFailure(new StoreUnreachable('away')))).toMatchObject({
      code: 'directory_unavailable',
      extras: { retryAfterSec: 5 },
    });
    const other = new TypeError('t');
    expect(listFailure(other)).toBe(other);
  });
});

describe('an error response', () => {
  const answer = (failure: Failure | undefined, method = 'POST') => {
    const req = new IncomingMessage(new Socket());
    req.method = method;
    const res = new ServerResponse(req);
    let body = '';
    res.end = (chunk?: unknown): ServerResponse => {
      body = chunk instanceof Buffer ? chunk.toString() : '';
      return res;
    };
    sendProblem(res, failure, { requestId: 'req_1', baseUrl: 'https://bots.example.com' });
    return { status: res.statusCode, header: (name: string) => res.getHeader(name), body };
  };

  it.each(Object.entries(problems))('to %s has its status, title and address', (code, { status, title }) => {
    const { status: sent, header, body } = answer(new Failure(code as ProblemCode, 'Words.'));
    expect(sent).toBe(status);
    expect(header('Content-Type')).toBe('application/problem+json; charset=utf-8');
    expect(header('Cache-Control')).toBe('no-store');
    expect(header('Content-Length')).toBe(Buffer.byteLength(body));
    expect(JSON.parse(body)).toEqual({
      type: `https://bots.example.com/problems/${code}`,
      title,
      status,
      detail: 'Words.',
      code,
      request_id: 'req_1',
    });
  });

  it('carries what the failure knows, and nothing of its cause', () => {
    const extras = {
      errors: [{ pointer: '/link', detail: 'no' }],
      id: 'i',
      slug: 's',
      url: 'u',
      reason: 'dns' as const,
      retryAfterSec: 7,
      allow: ['GET', 'HEAD'],
      cause: new Error('secret'),
    };
    const { header, body } = answer(new Failure('invalid_request', 'Words.', extras));
    const shown = problem.strict().parse(JSON.parse(body));
    expect(shown).toMatchObject({ errors: extras.errors, id: 'i', slug: 's', url: 'u', reason: 'dns' });
    expect([header('Retry-After'), header('Allow')]).toEqual(['7', 'GET, HEAD']);
    expect(body).not.toContain('secret');
  });

  it('to a bug reveals nothing', () => {
    expect(JSON.parse(answer(undefined).body)).toMatchObject({
      status: 500,
      code: 'internal_error',
      request_id: 'req_1',
    });
  });

  it('to HEAD has no body, but its length', () => {
    const { header, body } = answer(new Failure('not_found', 'Words.'), 'HEAD');
    expect(body).toBe('');
    expect(Number(header('Content-Length'))).toBeGreaterThan(0);
  });
});
