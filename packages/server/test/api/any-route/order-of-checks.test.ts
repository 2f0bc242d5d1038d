/**
 * A request that two checks refuse gets the problem of the first: for each two neighbours in `checks` of the contract,
 * a request to which both apply. If they are swapped there, or in the code, a test fails.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract, type Problem } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startReceiver, type Receiver } from '@bot-directory/testing/receiver';
import { startTestRedis } from '@bot-directory/testing/redis';
import { startService, type Service } from '@bot-directory/testing/service';

type Operation = keyof typeof contract;
type Init = { readonly body?: unknown; readonly headers?: Record<string, string> };

let service: Service;
/** Without a store; with one that is away; and with a limit that has been reached. */
let unsaved: Service | undefined;
let away: Service | undefined;
let limited: Service | undefined;
let receiver: Receiver;
let there: { slug: string; link: string } | undefined;
let gone: { slug: string; link: string } | undefined;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({
    settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOKS_PER_HOST: '1' },
    world: { ca: receiver.ca },
  });
  unsaved = await startService({ redis: null });
  const redis = await startTestRedis();
  away = await startService({ redis });
  await redis.stop();
  // It would deliver, too, and trusts no receiver.
  limited = await startService({ settings: { WRITE_RATE_LIMIT: '1/1m', ROLE: 'web' }, redis: service.redis });
  await limited.post('/api/feed', {});

  const publish = async (name: string): Promise<{ slug: string; link: string }> => {
    const link = service.link(service.provider.template({ name }));
    return { slug: (await service.post<{ slug: string }>('/api/bots/submit', { link })).body.slug, link };
  };
  there = await publish('There');
  gone = await publish('Gone');
  const operator = operatorOf(service.redis?.url ?? '');
  await operator.run('remove', gone.slug, '--reason', 'Spam.');
  await service.post('/api/feed', { url: 'https://x.com/mallory/status/7' });
  await operator.run('block', 'author', '@mallory');
  expect((await service.post('/api/webhooks/bots', { url: receiver.url('/') })).status).toBe(200);
});
afterAll(async () => {
  for (const each of [limited, away, unsaved, service, receiver]) await each?.stop();
});

const valid: Partial<Record<Operation, unknown>> = {
  submitBot: { link: 'https://templates.example.com/bot/unknown' },
  addIntegrations: { integrations: ['slack'] },
  refreshBot: {},
  reportBot: { reason: 'spam' },
  addPost: { url: 'https://x.com/jo/status/1' },
  reportPost: { url: 'https://x.com/jo/status/1', reason: 'spam' },
  addWebhook: { url: 'https://hooks.example.com/' },
  testWebhook: { url: 'https://hooks.example.com/' },
  removeWebhook: { url: 'https://hooks.example.com/' },
};
const urls: Partial<Record<Operation, string>> = {
  getWebhookStatus: '/api/webhooks/bots/status?url=https://hooks.example.com/',
};
const invalidUrls: Partial<Record<Operation, string>> = {
  listBots: '/api/bots?limit=x',
  countFacets: '/api/bots/facets?category=x',
  listPosts: '/api/feed?limit=x',
  listCategories: '/api/categories?limit=2',
  listIntegrations: '/api/integrations?limit=2',
  listEvents: '/api/events?after=x',
  streamEvents: '/api/events/stream?after=x',
  getWebhookStatus: '/api/webhooks/bots/status?url=x',
};

const send = (on: Service | undefined, operation: Operation, init: Init = {}, path?: string) => {
  const route = contract[operation];
  const url = path ?? urls[operation] ?? route.path.replace(':slug', 'unknown');
  if (on === undefined) throw new Error('not started');
  return on.api<Problem>(route.method, url, init);
};
const sendValid = (on: Service | undefined, operation: Operation) =>
  send(on, operation, operation in valid ? { body: valid[operation] } : {});
const sendInvalid = (on: Service | undefined, operation: Operation) =>
  operation in valid ? send(on, operation, { body: [] }) : send(on, operation, {}, invalidUrls[operation]);
const text = { 'Content-Type': 'text/plain' };
const huge = 'x'.repeat(1_100_000);

type Sent = ReturnType<typeof send>;

/** A submission by a blocked author. */
const byMallory = (of: Operation): object =>
  of === 'addPost' ? { url: 'https://x.com/mallory/status/7' } : { link: service.link('unknown'), author: 'mallory' };

/** A request that both of two checks refuse, by their names. */
const requests: Record<string, (operation: Operation) => Sent> = {
  'rate_limited, unsupported_media_type': (of) => send(limited, of, { body: '{}', headers: text }),
  'unsupported_media_type, body_too_large': (of) => send(service, of, { body: huge, headers: text }),
  'body_too_large, unreadable_json': (of) => send(service, of, { body: huge }),
  'unreadable_json, invalid_request': (of) => send(service, of, { body: '{' }),
  'invalid_request, saving_not_configured': (of) => sendInvalid(unsaved, of),
  'invalid_request, directory_unavailable': (of) => sendInvalid(away, of),
  'saving_not_configured, store_unavailable': (of) => sendValid(unsaved, of),
  'directory_unavailable, bot_not_found': (of) => send(away, of),
  'store_unavailable, bot_exists': (of) => send(away, of, { body: { link: there?.link } }),
  'store_unavailable, bot_not_found': (of) => sendValid(away, of),
  'store_unavailable, submissions_closed': (of) => sendValid(away, of),
  'store_unavailable, post_not_found': (of) => sendValid(away, of),
  'store_unavailable, submission_blocked': (of) => sendValid(away, of),
  'store_unavailable, webhook_not_found': (of) => sendValid(away, of),
  'store_unavailable, event_not_found': (of) =>
    send(away, of, {}, `${contract[of].path}?after=evt_01M7YAV3PY95EN1YP35H8TDBRX`),
  // Never both true: a bot is listed, or it was removed.
  'bot_exists, bot_removed': (of) => send(service, of, { body: { link: there?.link } }),
  'bot_removed, submissions_closed': (of) => closed(() => send(service, of, { body: { link: gone?.link } })),
  'submissions_closed, submission_blocked': (of) => closed(() => send(service, of, { body: byMallory(of) })),
  'submission_blocked, template_not_found': (of) => send(service, of, { body: byMallory(of) }),
  'submission_blocked, post_exists': (of) => send(service, of, { body: byMallory(of) }),
  // Never both true: the provider responds, or it does not.
  'template_not_found, template_provider_unavailable': (of) =>
    of === 'refreshBot' ? refreshed(404) : send(service, of, { body: { link: service.link('unknown') } }),
  // Never both true: a text was read, or it was not.
  'template_provider_unavailable, submission_blocked': () => refreshed(500),
  'bot_gone, template_not_found': (of) =>
    send(service, of, { body: {} }, contract[of].path.replace(':slug', gone?.slug ?? '')),
  // Never both true.
  'bot_not_found, bot_gone': (of) => (of in valid ? sendValid(service, of) : send(service, of)),
  'bot_gone, too_many_integrations': (of) =>
    send(
      service,
      of,
      { body: { integrations: Array.from({ length: 24 }, (_, i) => `app-${i}`) } },
      contract[of].path.replace(':slug', gone?.slug ?? ''),
    ),
  'submission_blocked, webhook_exists': (of) => blocked(of, '/'),
  'submission_blocked, webhook_not_found': (of) => blocked(of, '/never'),
  'webhook_exists, too_many_webhooks': (of) => send(service, of, { body: { url: receiver.url('/') } }),
  'too_many_webhooks, webhook_ping_failed': (of) => {
    receiver.respond((_received, res) => void res.writeHead(500).end());
    return send(service, of, { body: { url: receiver.url('/another') } });
  },
};

/** Sends a path of the receiver's while its host is blocked. */
const blocked = async (of: Operation, path: string): Promise<Awaited<Sent>> => {
  const operator = operatorOf(service.redis?.url ?? '');
  const { hostname: host } = new URL(receiver.url('/'));
  await operator.run('block', 'host', host);
  const answer = await send(service, of, { body: { url: receiver.url(path) } });
  await operator.run('unblock', 'host', host);
  return answer;
};

/** Refreshes a bot whose template is now a response with this status. */
const refreshed = async (status: number): Promise<Awaited<Sent>> => {
  const id = service.provider.template({ name: 'Was there' });
  const { body } = await service.post<{ slug: string }>('/api/bots/submit', { link: service.link(id) });
  service.provider.template((_req, res) => res.writeHead(status).end(), id);
  return service.post<Problem>(`/api/bots/${body.slug}/refresh`, {});
};

const closed = async (request: () => Sent): Promise<Awaited<Sent>> => {
  const operator = operatorOf(service.redis?.url ?? '');
  await operator.run('submissions', 'off', '--reason', 'A test.');
  const answer = await request();
  await operator.run('submissions', 'on');
  return answer;
};

const pairs = Object.entries(contract).flatMap(
  ([
    name,
    {
      metadata: { checks },
    },
  ]) => checks.slice(1).map((second, i) => [name as Operation, checks[i] ?? '', second] as const),
);

describe('the order of checks', () => {
  it.each(pairs)('of %s puts %s before %s', async (operation, first, second) => {
    const request = requests[`${first}, ${second}`];
    if (request === undefined) throw new Error(`no request shows that ${first} is checked before ${second}`);
    expect((await request(operation)).body.code).toBe(first);
  });
});
