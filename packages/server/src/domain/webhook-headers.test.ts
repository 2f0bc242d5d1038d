/** Whatever is sent as headers, a request has the accepted ones as single lines, and no refusal has a value. */
import { request } from 'node:http';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '@bot-directory/contract';
import { parseWebhookHeaders, storedHeaders, WebhookHeaders, type HeaderFault } from './webhook-headers.ts';

const { headersPerWebhook, headerNameLength, headerValueLength } = limits;

const read = (sent: unknown): WebhookHeaders => {
  const parsed = parseWebhookHeaders(sent);
  if (!(parsed instanceof WebhookHeaders)) throw new Error(JSON.stringify(parsed));
  return parsed;
};
const faultsOf = (sent: unknown): readonly HeaderFault[] => {
  const parsed = parseWebhookHeaders(sent);
  return parsed instanceof WebhookHeaders ? [] : parsed;
};

describe('headers of an owner', () => {
  it.each([
    ['Authorization', 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc-_~+/='],
    ['Authorization', 'Basic YTpi'],
    ['aeg-sas-key', 'VXbGWce53249Mt8wuotr0GPmyJ/nDT4hgdEj9DpBeRr38arnnm5OFg=='],
    ['Ocp-Apim-Subscription-Key', '0'],
    ['x-goog-api-key', 'AIza'],
    ['CF-Access-Client-Secret', 'a b\tc'],
    ["!#$%&'*+-.^_`|~09", '!~'],
    ['__proto__', 'own'],
    ['x'.repeat(headerNameLength), 'v'.repeat(headerValueLength)],
  ])('may be %s', (name, value) => {
    const sent = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as object;
    expect(read(sent).lines).toBe(`${name.toLowerCase()}: ${value}\r\n`);
  });

  it.each([
    'Host',
    'content-LENGTH',
    'Content-Type',
    'Content-Encoding',
    'User-Agent',
    'Accept',
    'Accept-Encoding',
    'Connection',
    'Keep-Alive',
    'Transfer-Encoding',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'Range',
    'If-None-Match',
    'webhook-id',
    'Webhook-Signature',
    'webhook-anything',
    'X-Service-Event',
    'X-Service-Delivery',
    'ce-id',
    'Proxy-Authorization',
    'Sec-Fetch-Site',
    'Cookie',
    'Set-Cookie',
    'Date',
    'Origin',
    'Referer',
    'Via',
    'Forwarded',
    'X-Forwarded-For',
    'x-forwarded-host',
    'X-Real-IP',
    'X-HTTP-Method-Override',
    'CF-Connecting-IP',
    'CF-Connecting-IPv6',
    'True-Client-IP',
    'X-Client-IP',
    'X-Cluster-Client-IP',
    'Fastly-Client-IP',
    'Fly-Client-IP',
    'X-Azure-ClientIP',
    'X-Appengine-User-IP',
  ])('may not be %s', (name) => {
    expect(faultsOf({ [name]: 'a', 'X-Fine': 'b' })).toEqual([{ name, why: 'is set by us, or refused' }]);
  });

  it.each<[string, unknown, (string | undefined)[]]>([
    ['a text', 'X-Key: a', [undefined]],
    ['an array', [['X-Key', 'a']], [undefined]],
    ['a number', 7, [undefined]],
    [
      'too many',
      Object.fromEntries(Array.from({ length: headersPerWebhook + 1 }, (_, i) => [`x-${i}`, 'a'])),
      [undefined],
    ],
    ['a name twice', { 'X-Key': 'a', 'x-key': 'a' }, ['x-key']],
    ['no name', { '': 'a' }, [undefined]],
    ['a name that is too long', { ['x'.repeat(headerNameLength + 1)]: 'a' }, [undefined]],
    ['a name of another script', { '\u212Aey': 'a' }, [undefined]],
    ['a line in a name', { 'x\r\ny': 'a' }, [undefined]],
    ['no value', { 'x-key': '' }, ['x-key']],
    ['a value that is too long', { 'x-key': 'v'.repeat(headerValueLength + 1) }, ['x-key']],
    ['spaces around a value', { 'x-key': ' a', 'y-key': 'a\t' }, ['x-key', 'y-key']],
    ['a line in a value', { 'x-key': 'a\r\nHost: b', 'y-key': 'a\nb', 'z-key': 'a\rb' }, ['x-key', 'y-key', 'z-key']],
    ['what is no ASCII', { 'x-key': 'ä', 'y-key': '\u0000', 'z-key': 'a\u007F' }, ['x-key', 'y-key', 'z-key']],
    ['values that are no texts', { a: 1, b: null, c: ['d'], e: {} }, ['a', 'b', 'c', 'e']],
  ])('are refused: %s', (_what, sent, names) => {
    expect(faultsOf(sent).map(({ name }) => name)).toEqual(names);
  });

  const odd = fc.constantFrom(
    '\r',
    '\n',
    '\0',
    ':',
    ' ',
    '\t',
    'é',
    '\u2028',
    '\u212A',
    '😀',
    'x',
    'Content-Length',
    'host',
  );
  const text = fc.oneof(
    fc.array(odd, { maxLength: 6 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.stringMatching(/^[\w!#$%&'*+.^`|~-]{1,20}$/),
    fc.stringMatching(/^[!-~][\t -~]{0,20}$/),
  );

  it('are lines that Node would send, one each, and the same after the store; others are refused as a whole', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 4 }), (sent) => {
        const parsed = parseWebhookHeaders(sent);
        if (!(parsed instanceof WebhookHeaders)) {
          for (const { name, why } of parsed) {
            expect(name === undefined || Object.hasOwn(sent, name)).toBe(true);
            expect(why).toMatch(/^(?:must|is) /);
          }
          return;
        }
        const lines = parsed.lines.split('\r\n');
        expect(lines.pop()).toBe('');
        expect(lines).toHaveLength(Object.keys(sent).length);
        // Node refuses names and values that would break a message.
        const headers = Object.fromEntries(
          lines.map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
        );
        request({ host: '127.0.0.1', port: 1, headers })
          .on('error', () => undefined)
          .destroy();
        expect(new Set(lines)).toEqual(
          new Set(Object.entries(sent).map(([name, value]) => `${name.toLowerCase()}: ${value}`)),
        );
        expect(parsed.text).not.toMatch(/[\r\n]/);
        expect(storedHeaders(parsed.text)?.lines).toBe(parsed.lines);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are equal whatever their order and case', () => {
    expect(read({ 'X-B': '2', 'x-a': '1' }).text).toBe(read({ 'X-A': '1', 'x-b': '2' }).text);
    expect(read({ 'X-A': '1' }).text).not.toBe(read({ 'X-A': '2' }).text);
  });

  it('are in nothing that prints an object', () => {
    const headers = read({ authorization: 'Bearer T0KEN' });
    for (const printed of [JSON.stringify({ headers }), inspect({ headers }, { depth: 9, showHidden: true })])
      expect(printed).not.toContain('T0KEN');
  });

  it('are left out of what the store has if we set them by now, and are none if it is unreadable', () => {
    expect(storedHeaders('[["user-agent","a"],["x-key","b"]]')?.lines).toBe('x-key: b\r\n');
    for (const unreadable of ['', '{', '{}', '[["x-key"]]', '[["x-key","a\\r\\nhost: b"]]', 'null'])
      expect(storedHeaders(unreadable)).toBeUndefined();
  });
});
