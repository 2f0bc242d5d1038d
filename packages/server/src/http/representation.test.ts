import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { chooseEncoding, Representation } from './representation.ts';

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
    expect(chooseEncoding(header)).toBe(encoding);
  });
});

describe('a representation', () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ name: `Bot ${i}` }))));
  const described = { tag: 'abc.1', changedAtMs: 0 };
  const settled = async (made: () => boolean): Promise<void> => {
    while (!made()) await new Promise((resolve) => setImmediate(resolve));
  };

  it.each([
    ['gzip', gunzipSync, '"abc.1-gz"'],
    ['br', brotliDecompressSync, '"abc.1-br"'],
  ] as const)('is plain until its %s is made, under a tag of its own', async (encoding, decode, tag) => {
    const representation = new Representation(body, described);
    const plain = representation.variant(encoding);
    expect(plain).toMatchObject({ etag: '"abc.1"', body });
    expect(plain.headers).not.toContain('Content-Encoding');
    await settled(() => representation.variant(encoding) !== plain);
    const made = representation.variant(encoding);
    expect(made.etag).toBe(tag);
    expect(made.headers.join(' ')).toContain(`Content-Encoding ${encoding} `);
    expect(made.headers.join(' ')).toContain(`Content-Length ${made.body.length} `);
    expect(made.body.length).toBeLessThan(body.length);
    expect(decode(made.body).equals(body)).toBe(true);
  });

  it('stays plain when it is small', async () => {
    const small = new Representation(Buffer.from('[]'), described);
    small.compress('gzip');
    const other = new Representation(body, described);
    await settled(() => other.variant('gzip').etag.endsWith('-gz"'));
    expect(small.variant('gzip').etag).toBe('"abc.1"');
  });

  it('is not compressed once nobody will ask for it', async () => {
    const [old, current] = [new Representation(body, described), new Representation(body, described)];
    old.compress('br');
    old.retire();
    await settled(() => current.variant('br').etag.endsWith('-br"'));
    expect(old.variant('br').etag).toBe('"abc.1"');
  });

  it('says of itself what it was told', () => {
    const { headers } = new Representation(body, { ...described, total: 7, link: '<next>; rel="next"' }).variant(
      'identity',
    );
    const text = headers.join(' ');
    expect(text).toContain('X-Total-Count 7');
    expect(text).toContain('Link <next>; rel="next"');
    expect(text).toContain('Vary Accept-Encoding');
    expect(text).toContain('Access-Control-Allow-Origin *');
  });
});
