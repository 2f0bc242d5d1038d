import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventParser } from './event-parser.ts';

const parse = (...chunks: string[]) => {
  const feed = createEventParser();
  return chunks.flatMap(feed);
};

describe('the event parser', () => {
  it.each([
    ['an event', 'id: 1\nevent: x\ndata: a\n\n', [{ id: '1', event: 'x', data: 'a' }]],
    ['data over several lines', 'data: a\ndata:  b\ndata\n\n', [{ data: 'a\n b\n' }]],
    ['a position without an event', 'id: 7\n\n', [{ id: '7' }]],
    ['a reconnection time', 'retry: 250\nretry: soon\n\n', [{ retry: '250' }]],
    ['comments and unknown fields', ': hello\nfoo: bar\nbaz\n', []],
    ['an id with a NUL', 'id: a\0b\ndata: x\n\n', [{ data: 'x' }]],
    ['an event cut off at the end', 'data: a\n', []],
  ])('reads %s', (_name, text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  const line = fc.oneof(
    fc
      .tuple(fc.constantFrom('id', 'data', 'event'), fc.constantFrom(':', ': ', ':  '), fc.string())
      .map((parts) => parts.join('').replace(/[\r\n]/g, '')),
    fc.constantFrom('', '', 'data', ': beat'),
  );
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')).map(([text, end]) => text + end))
    .map((lines) => lines.join(''));

  it('finds the events that eventsource-parser finds', () => {
    fc.assert(
      fc.property(stream, (text) => {
        const expected: Array<{ id: string | undefined; data: string }> = [];
        createParser({ onEvent: ({ id, data }) => expected.push({ id, data }) }).feed(`${text}:\n`);
        const found = parse(`${text}:\n`).flatMap(({ id, data }) => (data === undefined ? [] : [{ id, data }]));
        expect(found).toEqual(expected);
      }),
    );
  });

  it('reads the same however the stream is cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 200 })), (text, cuts) => {
        const at = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b);
        expect(parse(...at.map((from, index) => text.slice(from, at[index + 1])))).toEqual(parse(text));
      }),
    );
  });
});
