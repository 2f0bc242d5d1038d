import { describe, expect, it } from 'vitest';
import { isSentinelUrl, parseSentinelUrl } from './sentinel-url.ts';

const plain = {
  sentinels: [{ host: '10.0.0.1', port: 26_379 }],
  master: 'mymaster',
  isSecure: false,
  username: '',
  password: '',
  database: 0,
  sentinelUsername: '',
  sentinelPassword: '',
};

describe('the URL of Sentinels', () => {
  it.each<[url: string, expected: object]>([
    ['redis-sentinel://10.0.0.1#mymaster', {}],
    ['REDIS-SENTINEL://10.0.0.1/#mymaster', {}],
    ['rediss-sentinel://10.0.0.1#mymaster', { isSecure: true }],
    ['redis-sentinel://10.0.0.1/3#mymaster', { database: 3 }],
    ['redis-sentinel://10.0.0.1#my%20master', { master: 'my master' }],
    ['redis-sentinel://:p%40ss@10.0.0.1#mymaster', { password: 'p@ss' }],
    ['redis-sentinel://secret@10.0.0.1#mymaster', { password: 'secret' }],
    ['redis-sentinel://jo:a:b@10.0.0.1#mymaster', { username: 'jo', password: 'a:b' }],
    ['redis-sentinel://10.0.0.1?sentinelPassword=s%26t#mymaster', { sentinelPassword: 's&t' }],
    [
      'redis-sentinel://10.0.0.1?sentinelUsername=watch&sentinelPassword=x#mymaster',
      { sentinelUsername: 'watch', sentinelPassword: 'x' },
    ],
    [
      'redis-sentinel://s1, s2:5000,[::1]:26380#mymaster',
      {
        sentinels: [
          { host: 's1', port: 26_379 },
          { host: 's2', port: 5_000 },
          { host: '::1', port: 26_380 },
        ],
      },
    ],
  ])('reads %s', (url, expected) => {
    expect(isSentinelUrl(url)).toBe(true);
    expect(parseSentinelUrl(url)).toEqual({ ok: true, value: { ...plain, ...expected } });
  });

  it.each([
    ['redis-sentinel://10.0.0.1', /#mymaster/],
    ['redis-sentinel://10.0.0.1#', /#mymaster/],
    ['redis-sentinel://#mymaster', /shaped/],
    ['redis-sentinel://s1,,s2#mymaster', /host:port/],
    ['redis-sentinel://s1:99999#mymaster', /host:port/],
    ['redis-sentinel://s1,redis-sentinel://s2#mymaster', /shaped/],
    ['redis-sentinel://s1/first#mymaster', /shaped/],
    ['redis-sentinel://s1?password=x#mymaster', /sentinelUsername and sentinelPassword/],
    ['redis-sentinel://%zz@s1#mymaster', /escape/],
  ])('refuses %s', (url, why) => {
    expect(parseSentinelUrl(url)).toEqual({ ok: false, why: expect.stringMatching(why) as string });
  });
});
