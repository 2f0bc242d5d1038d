import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { acceptedEncodings, type Body, bodyOf, lengthOf, PlainRepresentation, validatorsOf } from './representation.ts';

describe('the encoding', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.1', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['deflate, zstd', 'identity'],
    ['GZIP', 'gzip'],
    ['nonsense;;;', 'identity'],
  ])('for Accept-Encoding: %s is %s', (header, encoding) => {
    expect(acceptedEncodings(header)[0]).toBe(encoding);
  });
});

describe('a representation', () => {
  const bytes = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ name: `Bot ${i}` }))));
  const validators = validatorsOf('abc.1', 0);
  const noError = (error: unknown): void => expect(error).toBeUndefined();
  const made = (body: Body = bodyOf(bytes), onError = noError) =>
    new PlainRepresentation(validators, body, {}, onError);
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  };

  it.each([
    ['gzip', gunzipSync, '"abc.1-gz"'],
    ['br', brotliDecompressSync, '"abc.1-br"'],
  ] as const)('is plain until its %s is made, under a tag of its own', async (encoding, decode, tag) => {
    const representation = made();
    const before = representation.heldBytes;
    const plain = representation.variant([encoding]);
    expect(plain.etag).toBe('"abc.1"');
    expect(plain.head.lines).not.toContain('Content-Encoding');
    await until(() => representation.variant([encoding]) !== plain);
    const variant = representation.variant([encoding]);
    const pieces = [...variant.pieces()];
    expect(variant.etag).toBe(tag);
    expect(variant.head.lines).toContain(`Content-Encoding: ${encoding}\r\n`);
    expect(variant.head.lines).toContain(`Content-Length: ${lengthOf(pieces)}\r\n`);
    expect(variant.length).toBeLessThan(bytes.length);
    expect(decode(Buffer.concat(pieces)).equals(bytes)).toBe(true);
    expect(representation.heldBytes).toBe(before + variant.length);
  });

  it('stays plain when it is small', async () => {
    const small = made(bodyOf(Buffer.from('[]')));
    small.variant(['gzip']);
    const other = made();
    await until(() => other.variant(['gzip']).etag.endsWith('-gz"'));
    expect(small.variant(['gzip']).etag).toBe('"abc.1"');
  });

  it('stays plain when it is a picture that is compressed already', async () => {
    const picture = new PlainRepresentation(validators, bodyOf(bytes), { contentType: 'image/png' }, noError);
    const drawing = new PlainRepresentation(validators, bodyOf(bytes), { contentType: 'image/svg+xml' }, noError);
    picture.variant(['br']);
    await until(() => drawing.variant(['br']).etag.endsWith('-br"'));
    expect(picture.variant(['br']).etag).toBe('"abc.1"');
  });

  it('is not compressed once nobody will request it', async () => {
    const old = made();
    const current = made();
    old.variant(['br']);
    old.retire();
    await until(() => current.variant(['br']).etag.endsWith('-br"'));
    expect(old.variant(['br']).etag).toBe('"abc.1"');
  });

  it('stays plain, and reports the error, when it cannot be compressed', async () => {
    let reported: unknown;
    const broken: Body = {
      ...bodyOf(bytes),
      pieces: () => ({
        [Symbol.iterator]: () => {
          throw new Error('no memory');
        },
      }),
    };
    const representation = made(broken, (error) => (reported = error));
    representation.variant(['br']);
    await until(() => reported !== undefined);
    expect(reported).toEqual(new Error('no memory'));
    expect(representation.variant(['br']).etag).toBe('"abc.1"');
  });

  it('has the headers of its content', () => {
    const description = { total: 7, link: '<next>; rel="next"', contentType: 'text/html' };
    const { head } = new PlainRepresentation(validators, bodyOf(bytes), description, noError).variant(['identity']);
    expect(head.lines).toContain('X-Total-Count: 7\r\n');
    expect(head.lines).toContain('Link: <next>; rel="next"\r\n');
    expect(head.lines).toContain('Vary: Accept-Encoding\r\n');
    expect(head.lines).toContain('Content-Type: text/html\r\n');
  });
});
