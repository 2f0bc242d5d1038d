/**
 * Webhooks with a format, at receivers that respond as the services document: each gets the same events as an
 * envelope's receiver, in order, as messages that the service accepts.
 */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { CloudEvent, HTTP } from 'cloudevents';
import { Webhook as OfficialVerifier } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Problem, WebhookKeys } from '@bot-directory/contract';
import { startDelivery, type DeliveryTest } from '@bot-directory/testing/delivery';
import { startNames } from '@bot-directory/testing/name-server';
import { operatorOf } from '@bot-directory/testing/operator';
import type { Received } from '@bot-directory/testing/receiver';
import { isSignedBy } from '@bot-directory/testing/signature';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';

type Text = { readonly type: string; readonly text: string };
type SlackMessage = { readonly text?: string; readonly blocks?: { readonly type: string; readonly text: Text }[] };
type Embed = { readonly title?: string; readonly description?: string; readonly url?: string };
type DiscordMessage = { readonly content?: string; readonly embeds?: Embed[]; readonly allowed_mentions?: object };

type Card = { readonly body: { readonly inlines: { readonly text: string }[] }[] };
type TeamsMessage = {
  readonly type?: string;
  readonly attachments?: { readonly contentType: string; readonly content: Card }[];
};

/** The members of any of the bodies. */
type AnyBody = SlackMessage &
  DiscordMessage &
  TeamsMessage & { readonly id?: string; readonly created_at?: string; readonly data?: object };

const readJson = ({ body }: Received): AnyBody | undefined => {
  try {
    return JSON.parse(body.toString()) as AnyBody;
  } catch {
    return undefined;
  }
};

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors */
const slackResponse = (received: Received): [status: number, body: string] => {
  const message = readJson(received);
  if (received.headers['content-type'] !== 'application/json' || message === undefined) return [400, 'invalid_payload'];
  const { text = '', blocks = [] } = message;
  if (text === '' && blocks.length === 0) return [400, 'no_text'];
  const longest = (type: string): number => (type === 'header' ? 150 : 3_000);
  const isFit = blocks.every(({ type, text: part }) => part.text.length > 0 && part.text.length <= longest(type));
  return isFit && text.length <= 40_000 ? [200, 'ok'] : [400, 'invalid_blocks'];
};

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */
const discordResponse = (received: Received): [status: number, body: string] => {
  const { content = '', embeds = [] } = readJson(received) ?? {};
  if (content === '' && embeds.length === 0)
    return [400, JSON.stringify({ code: 50_006, message: 'Cannot send an empty message' })];
  const isFit = embeds.every(
    ({ title = '', description = '' }) => title.length <= 256 && description.length <= 4_096 && title !== '',
  );
  return content.length <= 2_000 && isFit ? [204, ''] : [400, JSON.stringify({ code: 50_035 })];
};

/**
 * A workflow that posts what its webhook receives:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using. It answers before
 * it posts, so only the test sees what it would fail on.
 */
const teamsResponse = (received: Received): [status: number, body: string] => {
  const { type, attachments = [] } = readJson(received) ?? {};
  const isFit = attachments.every(({ contentType }) => contentType === 'application/vnd.microsoft.card.adaptive');
  if (type !== 'message' || attachments.length !== 1 || !isFit || received.body.length > 28 * 1_024)
    return [400, 'no card'];
  return [202, ''];
};

/** Reads a delivery with the SDK of CloudEvents. */
const cloudEventOf = ({ headers, body }: Received): CloudEvent<{ slug?: string }> =>
  HTTP.toEvent({ headers, body: body.toString() }) as CloudEvent<{ slug?: string }>;

const cloudEventsResponse = (received: Received): [status: number, body: string] => {
  try {
    return cloudEventOf(received).validate() ? [202, ''] : [400, ''];
  } catch {
    return [415, ''];
  }
};

let test: DeliveryTest;
/** What was not accepted, by path and status. */
const refused: string[] = [];
const respond = (received: Received, res: ServerResponse): void => {
  const respondAs = {
    slack: slackResponse,
    discord: discordResponse,
    teams: teamsResponse,
    events: cloudEventsResponse,
  };
  const service = /^\/(slack|discord|teams|events)/.exec(received.path)?.[1] as keyof typeof respondAs | undefined;
  const [status, body] = service === undefined ? [204, ''] : respondAs[service](received);
  if (status >= 300) refused.push(`${received.path} ${status} ${body}`);
  res.writeHead(status).end(body);
};
useStarted(() => startNames(() => ['127.0.0.1']));
beforeAll(async () => {
  // A wait that a receiver names is honored up to the next delay.
  const settings = { WEBHOOK_RETRY_DELAYS: ['20ms', '2s', ...Array.from({ length: 7 }, () => '20ms')].join(',') };
  test = await startDelivery({ settings, world: { pollMs: 50 } });
});
beforeEach(() => {
  refused.length = 0;
  test.receiver.respond(respond);
});
afterAll(() => test.stop());

const sentTo = (path: string): Received[] => test.receiver.received.filter((received) => received.path === path);
const headersOf = (path: string): (string | undefined)[] =>
  sentTo(path).map((one) => readJson(one)?.blocks?.[0]?.text.text);
const all = ['bot.created', 'bot.updated', 'bot.removed', 'bot.restored'];

it('sends a message for each event, in order, with name, description and link', async () => {
  const { run } = operatorOf(test.redis?.url ?? '', test.url);
  for (const format of ['slack', 'discord', 'teams']) await test.register(`/${format}/all`, { format, events: all });
  await test.register('/slack/gmail', { format: 'slack', filter: { integration: ['gmail'] } });
  await test.register('/events/all', { format: 'cloudevents', events: all });
  const text = 'Sums up <!channel> & *more*';
  const template = test.provider.template({ name: 'Weekly @everyone', description: text });
  const { slug } = (await test.post<{ slug: string }>('/api/bots/submit', { link: test.link(template) })).body;
  await until('it is announced', () => sentTo('/slack/all').length === 2 && sentTo('/discord/all').length === 2);
  await run('edit', slug, '--category', 'SEO');
  await until('the change came', () => sentTo('/slack/all').length === 3 && sentTo('/discord/all').length === 3);
  await run('hide', slug);
  await run('restore', slug);
  await run('remove', slug, '--reason', 'It sent spam.');
  await test.publish('Mail', { integrations: ['gmail'] });
  for (const path of ['/slack/all', '/discord/all', '/teams/all', '/events/all'])
    await until(`${path} has all`, async () => (await test.status(path)).pending_events === 0);
  await until('the filtered one has its bot', () => sentTo('/slack/gmail').length === 2);

  const heads = [
    'Ping: News about bots will appear here',
    'New bot: Weekly @everyone',
    'Changed bot: Weekly @everyone',
  ];
  const removed = `Removed bot: ${slug}`;
  const restored = 'Restored bot: Weekly @everyone';
  // A bot's earlier return is not announced once it is gone again.
  const rest = [removed, restored, removed, 'New bot: Mail'].filter(
    (head) => head !== restored || headersOf('/slack/all').includes(restored),
  );
  expect(headersOf('/slack/all')).toEqual([...heads, ...rest]);
  expect(headersOf('/slack/gmail')).toEqual([heads[0], 'New bot: Mail']);
  const url = `${test.url}/bots/${slug}`;
  expect(readJson(sentTo('/slack/all')[1] as Received)?.blocks?.map((block) => block.text.text)).toEqual([
    'New bot: Weekly @everyone',
    'Sums up &lt;!channel&gt; &amp; *more*',
    `<${url}|Open in the directory>`,
  ]);
  expect(readJson(sentTo('/discord/all')[1] as Received)).toEqual({
    content: 'New bot',
    embeds: [{ title: String.raw`Weekly \@everyone`, description: String.raw`Sums up \<!channel> & \*more\*`, url }],
    allowed_mentions: { parse: [] },
  });
  const titles = sentTo('/teams/all').map((one) => readJson(one)?.attachments?.[0]?.content.body[0]?.inlines[0]?.text);
  expect(titles.slice(0, 3)).toEqual(heads);
  expect(titles.at(-1)).toBe('New bot: Mail');
  const types = sentTo('/events/all').map((one) => cloudEventOf(one).type);
  expect(types.slice(0, 3)).toEqual(['ping', 'bot.created', 'bot.updated']);
  expect(types).toEqual(sentTo('/events/all').map(({ headers }) => headers['x-service-event']));
  expect(refused).toEqual([]);
  expect(await test.status('/slack/all')).toMatchObject({ format: 'slack', filter: null, events: all });
  const rows = await run<{ events: string[]; filter: string[]; format: string | null }[]>('webhooks');
  expect(rows.map(({ events, filter, format }) => [format, events, filter])).toEqual(
    expect.arrayContaining([
      ['slack', all, []],
      ['slack', ['bot.created'], ['gmail']],
      ['discord', all, []],
      ['teams', all, []],
      ['cloudevents', all, []],
    ]),
  );
});

it('signs a CloudEvent and an envelope of one event, each with its own body', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await test.register('/events/signed', { format: 'cloudevents', secret });
  await test.register('/plain', { secret });
  const slug = await test.publish('Signed');
  await until('both have it', () => sentTo('/events/signed').length === 2 && sentTo('/plain').length === 2);
  const event = sentTo('/events/signed')[1] as Received;
  const envelope = sentTo('/plain')[1] as Received;
  const [key] = (await test.get<WebhookKeys>('/api/webhooks/keys')).body.keys;
  for (const { headers, body } of [event, envelope]) {
    new OfficialVerifier(secret).verify(body.toString(), headers as Record<string, string>);
    const own = { ...headers, 'webhook-signature': String(headers['webhook-signature']).split(' ')[0] };
    expect(isSignedBy(key?.public_key ?? '', { headers: own, body })).toBe(true);
  }
  expect([event.headers['content-type'], envelope.headers['content-type']]).toEqual([
    'application/cloudevents+json',
    'application/json',
  ]);
  const { data, id, time, source } = cloudEventOf(event);
  const plain = readJson(envelope);
  expect([id, time, data, source]).toEqual([plain?.id, plain?.created_at, plain?.data, test.url]);
  expect(data?.slug).toBe(slug);
});

it('waits as long as a busy chat asks it to, and sends the same message again', async () => {
  await test.register('/discord/busy', { format: 'discord' });
  let busy = 1;
  test.receiver.respond((received, res) => {
    if (received.path !== '/discord/busy' || (busy -= 1) < 0) return respond(received, res);
    res.writeHead(429, { 'Retry-After': '1', 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ message: 'You are being rate limited.', retry_after: 0.7, global: false }));
  });
  await test.publish('First');
  await test.publish('Second');
  await until('both came', () => sentTo('/discord/busy').length === 4);
  const [, first, again, second] = sentTo('/discord/busy') as [Received, Received, Received, Received];
  expect(again.atMs - first.atMs).toBeGreaterThanOrEqual(990);
  expect(again.body).toEqual(first.body);
  expect(readJson(second)?.embeds?.[0]?.title).toBe('Second');
});

it('stops after ten failures, and resumes in its format', async () => {
  await test.register('/slack/gone', { format: 'slack' });
  test.receiver.respond(({ path }, res) => void res.writeHead(path === '/slack/gone' ? 404 : 204).end('no_service'));
  await test.publish('Missed');
  await until('it is stopped', async () => (await test.status('/slack/gone')).state === 'stopped');
  expect((await test.status('/slack/gone')).failures_in_a_row).toBe(10);
  test.receiver.received.length = 0;
  test.receiver.respond(respond);
  await test.register('/slack/gone');
  await until('it has it', () => sentTo('/slack/gone').length === 2);
  expect(headersOf('/slack/gone')).toEqual(['Ping: News about bots will appear here', 'New bot: Missed']);
  expect(refused.filter((line) => line.startsWith('/slack/gone'))).toEqual([]);
});

it.each([
  ['hooks.slack.com', '/services/T0/B0/x', 'slack'],
  ['discord.com', '/api/webhooks/1/x', 'discord'],
] as const)('refuses a format that %s does not read, and names the right one', async (host, path, format) => {
  test.receiver.respond((received, res) => {
    const [status, body] = format === 'slack' ? slackResponse(received) : discordResponse(received);
    res.writeHead(status).end(body);
  });
  const url = `https://${host}:${test.receiver.port}${path}`;
  for (const other of [{}, { format: 'cloudevents' }]) {
    const { status, body } = await test.post<Problem>('/api/webhooks/bots', { url, ...other });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors).toEqual([{ pointer: '/format', detail: `must be "${format}" at this service` }]);
  }
  expect((await test.post('/api/webhooks/bots', { url, format })).status).toBe(200);
});

it('refuses the addresses of Discord that read the messages of others as its own', async () => {
  for (const end of ['/slack', '/github']) {
    const url = `https://discord.com:${test.receiver.port}/api/webhooks/1/x${end}`;
    const { status, body } = await test.post<Problem>('/api/webhooks/bots', { url, format: 'slack' });
    expect([status, body.errors?.map(({ pointer }) => pointer)]).toEqual([400, ['/url']]);
  }
});
