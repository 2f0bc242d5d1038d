import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadResponse, ResponseReader } from './response-reader.ts';

/** What a reader says after it was given these pieces. */
const read = (...pieces: (string | Buffer)[]) => {
  const reader = new ResponseReader();
  try {
    for (const piece of pieces) reader.push(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  } catch (error) {
    if (!(error instanceof BadResponse)) throw error;
    return { why: error.message };
  }
  const { response, isEnded, isReusable, keepAliveSec } = reader;
  return { response, isEnded, isReusable, keepAliveSec };
};

const head = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

describe('a response', () => {
  it.each([
    [head('Content-Length: 2'), 'ok', true],
    [head('content-length:2'), 'ok', true],
    [head('Content-Length: 0'), '', true],
    [head('Transfer-Encoding: Chunked'), '2;name=value\r\nok\r\nA\r\n0123456789\r\n000\r\nTrailer: 1\r\n\r\n', true],
    ['HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', '', true],
    ['HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', '', false],
    ['HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n', '', false],
    ['HTTP/1.1 304 Not Modified\r\n\r\n', '', true],
    [`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${head('Content-Length: 0')}`, '', true],
    ['HTTP/1.1 101 Switching Protocols\r\n\r\n', '', false],
    [head('Connection: Upgrade, Close', 'Content-Length: 0'), '', false],
    ['HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', '', false],
    ['HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n', '', true],
    [head('Content-Length: 1', 'Content-Length: 1'), 'x', false],
    [head('Content-Length : 1'), 'x', false],
    [head('X-Folded: a', ' b', 'Content-Length: 1'), 'x', false],
    [head('Transfer-Encoding: chunked'), 'none\r\n', false],
    [head('Transfer-Encoding: chunked'), '2\r\nokay\r\n', false],
  ])('%j ends with %j', (text, body, isReusable) => {
    expect(read(text, body)).toMatchObject({ isEnded: true, isReusable });
    expect(read(text, body, 'more')).toMatchObject({ isEnded: true, isReusable: false });
    expect(read(`${text}${body}more`)).toMatchObject({ isEnded: true, isReusable: false });
  });

  it.each([
    [head(), 'x'],
    [head('Content-Length: 2'), 'x'],
    [head('Content-Length: 2', 'Content-Length: 3'), 'x'],
    [head('Content-Length: -1'), 'x'],
    [head('Content-Length: 1', 'Transfer-Encoding: chunked'), 'x'],
    [head('Transfer-Encoding: gzip, chunked'), '0\r\n\r\n'],
    [head('Transfer-Encoding: chunked'), '2\r\nok\r\n0\r\n'],
  ])('%j does not end with %j', (text, body) => {
    expect(read(text, body)).toMatchObject({ response: { status: 200 }, isEnded: false });
  });

  it.each([
    ['timeout=5', 5],
    ['timeout=75, max=100', 75],
    ['max=100, Timeout = 20', 20],
    ['max=100', undefined],
    ['timeout=soon', undefined],
  ])('may say how long its connection is kept: %j', (text, keepAliveSec) => {
    expect(read(head(`Keep-Alive: ${text}`, 'Content-Length: 0'))).toMatchObject({ keepAliveSec });
  });

  it('reports the first of several Retry-After', () => {
    expect(read(head('Retry-After: 1', 'Retry-After: 2', 'Content-Length: 0')).response?.retryAfter).toBe('1');
  });

  it.each([
    'HTTP/1.1 99 OK\r\n',
    'HTTP/1.1 2000 OK\r\n',
    'HTTP/1.1 OK\r\n',
    'HTTP/2 200\r\n',
    'http/1.1 200\r\n',
    '\r\n',
    'H\n',
  ])('does not begin with %j', (text) => expect(read(text).why).toMatch(/./));

  it('has limits for its head, its trailers and its hints', () => {
    expect(read('HTTP/1.1 200 OK\r\n', `X: ${'x'.repeat(70_000)}`).why).toMatch(/65536/);
    expect(read('HTTP/1.1 200 OK\r\n', 'X: 1\r\n'.repeat(12_000)).why).toMatch(/65536/);
    expect(read('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(17)).why).toMatch(/informational/);
    const trailers = read(head('Transfer-Encoding: chunked'), '0\r\n', 'X: 1\r\n'.repeat(12_000));
    expect(trailers).toMatchObject({ response: { status: 200 }, isEnded: true, isReusable: false });
    expect(read(head(), 'x'.repeat(16_385))).toMatchObject({ isEnded: true, isReusable: false });
  });

  it('is the same however it is split', () => {
    const line = fc.constantFrom(
      'Content-Length: 3',
      'Content-Length: 0',
      'Transfer-Encoding: chunked',
      'Connection: close',
      'Keep-Alive: timeout=9',
      'Retry-After: 7',
      ' folded',
      'nothing',
      'Set-Cookie: \x01',
    );
    const body = fc.constantFrom('', 'abc', '3\r\nabc\r\n0\r\n\r\n', '0\n\n', 'zz\r\n', 'HTTP/1.1 200 OK\r\n\r\n');
    const end = fc.constantFrom('\r\n', '\n');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), body, end, fc.array(fc.nat(200)), (lines, rest, eol, cuts) => {
        const bytes = Buffer.from(['HTTP/1.1 200 OK', ...lines, '', rest].join(eol), 'latin1');
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((to, i) => bytes.subarray(at[i], to));
        expect(read(...pieces.filter(({ length }) => length > 0))).toEqual(read(bytes));
      }),
    );
  });

  it('is read or refused, whatever comes', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string().map((text) => Buffer.from(text)),
    );
    const begun = fc.constantFrom(
      '',
      'HTTP/1.1 200 OK\r\n',
      head('Transfer-Encoding: chunked'),
      head('Content-Length: 5'),
    );
    fc.assert(
      fc.property(begun, fc.array(noise), (start, pieces) => {
        const said = read(start, ...pieces.map((piece) => Buffer.from(piece)));
        expect(said.why ?? said.response?.status ?? 'unfinished').toBeDefined();
        if (said.isReusable === true) expect(said.isEnded).toBe(true);
      }),
    );
  });
});
