import { describe, expect, it } from 'vitest';
import { isSentinelUrl, parseRedisUrls, parseSentinelUrl } from './redis-url.ts';

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
    ['redis-sentinel://10.0.0.1?sentinelPassword=s+t=@#mymaster', { sentinelPassword: 's+t=@' }],
    ['redis-sentinel://:a,b@10.0.0.1#mymaster', { password: 'a,b' }],
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
    ['redis-sentinel://%zz@s1#mymaster', /% .*write it as %25$/],
    ['redis-sentinel://s1?sentinelPassword=50%#mymaster', /write it as %25$/],
    ['redis-sentinel://s1?sentinelPassword=a#b#mymaster', /write it as %23$/],
    ['redis-sentinel://s1?sentinelPassword=a&b#mymaster', /write & in a password as %26$/],
    ['redis-sentinel://:a/b@s1#mymaster', /write it as %2F$/],
    ['redis-sentinel://a?b@s1#mymaster', /write it as %3F$/],
    ['redis-sentinel://a#b@s1#mymaster', /write it as %23$/],
    ['redis-sentinel://:a@b@s1#mymaster', /write it as %40$/],
  ])('refuses %s', (url, why) => {
    expect(parseSentinelUrl(url)).toEqual({ ok: false, why: expect.stringMatching(why) as string });
  });
});

describe('REDIS_URL', () => {
  it.each([
    ['redis://a', ['redis://a']],
    ['rediss://jo:p%40s%2Fs@a.example:6380/3', ['rediss://jo:p%40s%2Fs@a.example:6380/3']],
    ['redis://:a@b:c@[::1]:6379/', ['redis://:a@b:c@[::1]:6379/']],
    ['redis://a , redis://:x@b/0,', ['redis://a', 'redis://:x@b/0']],
    ['redis-sentinel://a,b#m', ['redis-sentinel://a,b#m']],
  ])('may be %s', (text, urls) => {
    expect(parseRedisUrls(text)).toEqual({ ok: true, value: urls });
  });

  it.each<[text: string, why: RegExp]>([
    ['redis://a?keyPrefix=app:', /no parameters/],
    ['redis://a/1?connectTimeout=x', /no parameters/],
    ['redis://a?', /no parameters/],
    ['redis://a#m', /no # unless it begins with redis-sentinel/],
    ['redis://a,b', /names a host/],
    ['redis://a,rediss://b', /every URL/],
    ['redis://a/1,redis://b', /database of a Redis Cluster/],
  ])('may not be %s', (text, why) => {
    expect(parseRedisUrls(text)).toEqual({ ok: false, why: expect.stringMatching(why) as string });
  });

  it.each(['%', ',', '#', '/', '?'])('says how to write %s in a password', (character) => {
    const escaped = encodeURIComponent(character);
    const why = `has ${character} in a user name or password: write it as ${escaped}`;
    for (const raw of [`hunter${character}2x`, `${character}hunter`, `hunter${character}`]) {
      expect(parseRedisUrls(`redis://:${raw}@a:6379`)).toEqual({ ok: false, why });
      expect(parseRedisUrls(`redis://a,redis://jo:${raw}@b`)).toEqual({ ok: false, why });
      expect(parseRedisUrls(`redis://:${raw.replace(character, escaped)}@a:6379`)).toMatchObject({ ok: true });
    }
  });

  it('refuses escapes that decode to no text', () => {
    expect(parseRedisUrls('redis://:50%ff@a')).toMatchObject({
      ok: false,
      why: expect.stringContaining('%25') as string,
    });
  });
});
