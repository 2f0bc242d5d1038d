import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type NodeRequest, readOrKept } from './node-body.ts';

const text = '{"name":"Ünïcödé ✓"}';
const read = async (stream: Readable, maxBytes = 1_000): Promise<string> => {
  const request = Object.assign(stream, { headers: {} }) as NodeRequest;
  const bytes = await readOrKept(request, () => Buffer.from('kept'), maxBytes);
  return Buffer.from(bytes as Uint8Array).toString();
};
const inPieces = () => {
  const stream = new PassThrough();
  for (const byte of Buffer.from(text)) stream.write(Uint8Array.of(byte));
  return stream.end();
};

describe('a Node stream is read to its end', () => {
  it.each<[string, () => Readable]>([
    ['as it comes', inPieces],
    ['after setEncoding', () => inPieces().setEncoding('utf8')],
    ['after pause', () => inPieces().pause()],
    ['of strings', () => Readable.from([text.slice(0, 12), text.slice(12)])],
  ])('%s', async (_, make) => {
    expect(await read(make())).toBe(text);
  });

  it('or until it exceeds the limit', async () => {
    expect(await read(Readable.from(['x'.repeat(11), 'more']), 10)).toBe('x'.repeat(11));
  });

  it('and a stream of an old library, too, which has no iterator()', async () => {
    const old = Object.assign(inPieces(), { iterator: undefined });
    expect(await read(old)).toBe(text);
  });
});
