import { describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startReceiver } from '@bot-directory/testing/receiver';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const receiver = useStarted(startReceiver);
const service = useStarted(() =>
  startService({ settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, world: { ca: receiver.ca } }),
);

const remove = (url: unknown) => service.api<Problem>('DELETE', '/api/webhooks/bots', { body: { url } });

describe('removing a webhook', () => {
  it('accepts any spelling of the URL, and returns the canonical one', async () => {
    await service.post('/api/webhooks/bots', { url: receiver.url('/hook') });
    const answer = await remove(`${receiver.url('/x/../hook')}#fragment`);
    expect([answer.status, answer.body]).toEqual([200, { url: receiver.url('/hook') }]);
  });

  it('lets the URL be registered again, as another webhook', async () => {
    const register = () => service.post<{ id: string }>('/api/webhooks/bots', { url: receiver.url('/again') });
    const first = await register();
    await remove(receiver.url('/again'));
    const second = await register();
    expect(second.status).toBe(200);
    expect(second.body.id).not.toBe(first.body.id);
  });

  it('takes the URL as a query without a body, or with a body that says the same', async () => {
    const target = `/api/webhooks/bots?url=${encodeURIComponent(receiver.url('/query'))}`;
    const json = { 'Content-Type': 'application/json' };
    for (const init of [
      {},
      { body: '' },
      { headers: json, body: JSON.stringify({ url: receiver.url('/x/../query') }) },
    ]) {
      await service.post('/api/webhooks/bots', { url: receiver.url('/query') });
      const response = await fetch(`${service.url}${target}`, { method: 'DELETE', ...init });
      expect([response.status, await response.json()]).toEqual([200, { url: receiver.url('/query') }]);
    }
  });

  it('leaves alone the webhook whose URL is the beginning of one that was pasted as it is, or one of two', async () => {
    const short = receiver.url('/hook?api-version=1');
    const long = receiver.url('/hook?api-version=1&sp=x&sig=y');
    for (const url of [short, long]) await service.post('/api/webhooks/bots', { url });
    for (const [method, path] of [
      ['DELETE', '/api/webhooks/bots'],
      ['GET', '/api/webhooks/bots/status'],
    ] as const) {
      const { status, body } = await service.api<Problem>(method, `${path}?url=${long}`);
      expect([status, body.errors?.map(({ pointer }) => pointer)]).toEqual([400, ['?sp', '?sig']]);
      expect(body.errors?.[0]?.detail).toContain('percent-encode');
      const twice = await service.api<Problem>(method, `${path}?url=https://a.example/&url=https://b.example/`);
      expect([twice.status, twice.body.errors]).toEqual([400, [{ pointer: '?url', detail: 'must be given once' }]]);
    }
    const statusOf = (url: string) => service.get(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`);
    expect([(await statusOf(short)).status, (await statusOf(long)).status]).toEqual([200, 200]);
  });

  it('reads no white space that nobody sent', async () => {
    const { status, body } = await service.api<Problem>(
      'DELETE',
      '/api/webhooks/bots?url=https://hooks.example.com/a+b',
    );
    expect([status, body.errors]).toEqual([400, [{ pointer: '?url', detail: expect.stringContaining('has a +') }]]);
  });

  it.each([
    ['url=nonsense', undefined, ['?url']],
    ['url=', undefined, ['?url']],
    ['url=https://a.example/&url=https://b.example/', undefined, ['?url']],
    ['url=https://hooks.example.com/', { url: 'https://hooks.example.com/other' }, ['?url']],
    ['url=https://hooks.example.com/', {}, ['/url']],
    ['url=https://hooks.example.com/', [], ['']],
  ])('refuses the query %s with the body %j', async (query, body, pointers) => {
    const answer = await service.api<Problem>('DELETE', `/api/webhooks/bots?${query}`, { body });
    expect([answer.status, answer.body.errors?.map(({ pointer }) => pointer)]).toEqual([400, pointers]);
  });

  it('is a 404 if nothing is registered at the URL', async () => {
    for (let i = 0; i < 2; i += 1) {
      const answer = await remove(receiver.url('/hook'));
      expect([answer.status, answer.body.code]).toEqual([404, 'webhook_not_found']);
    }
  });

  it.each([[undefined], [null], ['http://127.0.0.1/'], ['nonsense'], ['https://user@hooks.example.com/']])(
    'refuses the URL %j',
    async (url) => {
      const answer = await remove(url);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
      expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual(['/url']);
    },
  );
});
