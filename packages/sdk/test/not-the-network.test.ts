/**
 * What `fetch` throws is a `NetworkError` only if it looks like one. Anything else reaches the caller unchanged, at
 * once.
 */
import { describe, expect, it } from 'vitest';
import { AbortedError, createClient, type Fetch, NetworkError } from '../src/index.ts';

const baseUrl = 'http://127.0.0.1:1';

/** What a call rejects with, and how many attempts it made, if `fetch` always throws this. */
const thrownFor = async (error: Error): Promise<{ caught: unknown; attempts: number }> => {
  let attempts = 0;
  const fetch: Fetch = () => {
    attempts += 1;
    return Promise.reject(error);
  };
  const directory = createClient({ baseUrl, fetch, retries: 1, hooks: { onRetry: () => {} } });
  const caught: unknown = await directory.bots.list().catch((thrown: unknown) => thrown);
  return { caught, attempts };
};

const withCode = (error: Error, code: string) => Object.assign(error, { code });
const wrapped = (cause: Error) => new TypeError('fetch failed', { cause });

/** Next.js, when a page that was to be static reads uncached data. */
const dynamicUsage = Object.assign(new Error('Dynamic server usage: no-store fetch'), {
  digest: 'DYNAMIC_SERVER_USAGE',
});

describe('an error of fetch that is not the network’s', () => {
  it.each([
    ['Next.js: dynamic usage', dynamicUsage],
    ['a digest, though it looks like a failure', Object.assign(new TypeError('fetch failed'), { digest: '1' })],
    ['an option that Node refuses', new TypeError('Request constructor: bogus is not an accepted type.')],
    ['an option that Chrome refuses', new TypeError("Failed to execute 'fetch' on 'Window': 'bogus' is not valid")],
    ['an option that Firefox refuses', new TypeError("Window.fetch: 'bogus' (value of 'mode' member of RequestInit)")],
    ['a dispatcher that is not one', wrapped(new TypeError('agent.dispatch is not a function'))],
    ['a dispatcher of another undici', wrapped(withCode(new Error('invalid method'), 'UND_ERR_INVALID_ARG'))],
    ['no fetch at all', new ReferenceError('fetch is not defined')],
    ['a mistake in a custom fetch', new TypeError("Cannot read properties of undefined (reading 'token')")],
    ['a file that a custom fetch lacks', withCode(new Error('ENOENT: no such file'), 'ENOENT')],
    ['a refusal of a custom fetch', new Error('the session has ended')],
    ['a body that was read before', new TypeError('Body is unusable: Body has already been read')],
    ['a value', 'no'],
    ['nothing', undefined],
  ])('%s: reaches the caller unchanged, after one attempt', async (_name, error) => {
    const { caught, attempts } = await thrownFor(error as Error);
    expect(caught).toBe(error);
    expect(attempts).toBe(1);
  });

  it('ends a stream, and rejects .safe()', async () => {
    const directory = createClient({ baseUrl, fetch: () => Promise.reject(dynamicUsage) });
    await expect(directory.events.stream().next()).rejects.toBe(dynamicUsage);
    await expect(directory.bots.list().safe()).rejects.toBe(dynamicUsage);
  });

  it('with the global fetch: a wrong option, and no fetch', async () => {
    const directory = createClient({ baseUrl, fetchOptions: { mode: 'bogus' } });
    await expect(directory.bots.list()).rejects.toThrow('bogus is not an accepted type');
    const own = globalThis.fetch;
    Reflect.deleteProperty(globalThis, 'fetch');
    try {
      await expect(directory.bots.list()).rejects.toBeInstanceOf(ReferenceError);
    } finally {
      globalThis.fetch = own;
    }
  });
});

describe('a failure of the network', () => {
  it.each([
    ['Node', wrapped(withCode(new Error('connect'), 'ECONNREFUSED'))],
    ['Node, in the body', new TypeError('terminated', { cause: withCode(new Error('closed'), 'UND_ERR_SOCKET') })],
    ['undici.request', withCode(new Error('Connect Timeout Error'), 'UND_ERR_CONNECT_TIMEOUT')],
    ['Bun', withCode(new TypeError('Unable to connect. Is the computer able to access the url?'), 'ECONNREFUSED')],
    ['Deno', new TypeError('error sending request for url (http://a.example/)')],
    ['Deno, in the body', new TypeError('error reading a body from connection')],
    ['workerd', Object.assign(new Error('Network connection lost.'), { retryable: true })],
    ['workerd, no such name', new Error('internal error; reference = ut7bm82qr6mjppdd3asph02f')],
    ['Chrome', new TypeError('Failed to fetch')],
    ['Chrome, in the body', new TypeError('network error')],
    ['Firefox', new TypeError('NetworkError when attempting to fetch resource.')],
    ['Firefox, in the body', new TypeError('Error in input stream')],
    ['Safari', new TypeError('Load failed')],
    ['Safari, offline', new TypeError('The Internet connection appears to be offline.')],
    ['Safari, no such name', new TypeError('A server with the specified hostname could not be found.')],
    ['React Native', new TypeError('Network request failed')],
    ['node-fetch', withCode(new Error('request to http://a.example/ failed, reason: '), 'ECONNRESET')],
    ['node-fetch, in the body', withCode(new Error('Premature close'), 'ERR_STREAM_PREMATURE_CLOSE')],
    ['axios as fetch', withCode(new Error('Network Error'), 'ERR_NETWORK')],
  ])('of %s: is retried, then a NetworkError with its cause', async (_name, error) => {
    const { caught, attempts } = await thrownFor(error);
    expect(caught).toBeInstanceOf(NetworkError);
    expect((caught as NetworkError).cause).toBe(error);
    expect(attempts).toBe(2);
  });

  it('is an AbortedError once the caller has aborted', async () => {
    const stop = new AbortController();
    const fetch: Fetch = () => {
      stop.abort();
      return Promise.reject(new TypeError('Failed to fetch'));
    };
    const called = createClient({ baseUrl, fetch }).bots.list({}, { signal: stop.signal });
    await expect(called).rejects.toBeInstanceOf(AbortedError);
  });
});
