/** Messages against the types of the services and a parser of Discord's Markdown: no text of a bot has an effect. */
import { createRequire } from 'node:module';
import type { KnownBlock } from '@slack/types';
import { CloudEvent, HTTP } from 'cloudevents';
import { parse } from 'discord-markdown-parser';
import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleBot, type Bot, type EventMap } from '@bot-directory/contract';
import {
  contentTypeOf,
  discordMessage,
  expectedFormat,
  formatFault,
  formatted,
  googleChatMessage,
  slackMessage,
  teamsMessage,
  type Source,
} from '../../../packages/server/src/domain/format.ts';
import { parseWebhookUrl } from '../../../packages/server/src/domain/webhook-url.ts';

describe('a CloudEvent', () => {
  const envelope: EventMap['bot.created'] = {
    id: 'evt_01M7YAV3PY95EN1YP35H8TDBRX',
    type: 'bot.created',
    created_at: '2026-11-21T05:58:35.166Z',
    data: exampleBot,
  };

  it('is what the CloudEvents SDK reads, and has the data of the envelope', () => {
    const body = JSON.stringify(formatted('cloudevents', { envelope, baseUrl: 'https://directory.example.com' }));
    const event = HTTP.toEvent({ headers: { 'content-type': contentTypeOf('cloudevents') }, body });
    expect(event).toBeInstanceOf(CloudEvent);
    const read = event as CloudEvent<unknown>;
    expect(read.validate()).toBe(true);
    expect(read.toJSON()).toEqual({
      specversion: '1.0',
      id: envelope.id,
      source: 'https://directory.example.com',
      type: 'bot.created',
      time: envelope.created_at,
      datacontenttype: 'application/json',
      data: exampleBot,
    });
  });
});

describe('the format that a service expects', () => {
  it.each([
    ['https://hooks.slack.com/services/T0/B0/x', 'slack'],
    ['https://hooks.slack-gov.com/services/T0/B0/x', 'slack'],
    ['https://discord.com/api/webhooks/1/x', 'discord'],
    ['https://ptb.discord.com/api/v10/webhooks/1/x?wait=true', 'discord'],
    ['https://discordapp.com/api/webhooks/1/x', 'discord'],
    ['https://discord.com/api/webhooks/1/x/slack', 'discord'],
    ['https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t', 'google-chat'],
    ['https://chat.googleapis.com/v2/spaces/A', undefined],
    ['https://hooks.slack.com/triggers/T0/1/x', undefined],
    ['https://discord.com/channels/1', undefined],
    ['https://hooks.slack.com.example.com/services/x', undefined],
    ['https://evildiscord.com/api/webhooks/1/x', undefined],
    ['https://hooks.example.com/bots', undefined],
  ])('at %s is %s', (raw, format) => {
    const target = parseWebhookUrl(raw, []);
    expect(target.ok && expectedFormat(target.value.url)).toBe(format);
  });
});

describe('a format', () => {
  it.each([
    ['https://hooks.slack.com/services/T0/B0/x', 'slack', undefined],
    ['https://hooks.slack.com/services/T0/B0/x', undefined, '/format'],
    ['https://hooks.slack.com/services/T0/B0/x', 'discord', '/format'],
    ['https://discord.com/api/webhooks/1/x', 'discord', undefined],
    ['https://discord.com/api/webhooks/1/x', 'slack', '/format'],
    ['https://discord.com/api/webhooks/1/x/slack', 'slack', '/url'],
    ['https://discord.com/api/webhooks/1/x/slack?wait=true', 'discord', '/url'],
    ['https://discord.com/api/v10/webhooks/1/x/github', undefined, '/url'],
    ['https://chat.example.com/hooks/x', 'slack', undefined],
  ] as const)('at %s of %s is refused by %s', (raw, format, pointer) => {
    const target = parseWebhookUrl(raw, []);
    expect(target.ok && formatFault(target.value.url, format)?.pointer).toBe(pointer);
  });
});

const baseUrl = 'https://directory.example.com';
const bot: Bot = { ...exampleBot, url: `${baseUrl}/bots/weekly-seo-report` };
const frame = { id: 'evt_01M7YAV3PY95EN1YP35H8TDBRX', created_at: '2026-11-21T05:58:35.166Z' };
const created = (texts: Partial<Bot>): Source => ({
  envelope: { ...frame, type: 'bot.created', data: { ...bot, ...texts } },
  baseUrl,
});
const removed = (reason: string | null): Source => {
  const envelope: EventMap['bot.removed'] = { ...frame, type: 'bot.removed', data: { ...bot, reason } };
  return { envelope, baseUrl };
};
const ping: Source = { envelope: { ...frame, type: 'ping', data: {} }, baseUrl };

const slack = (source: Source) => {
  const message = slackMessage(source) satisfies { text: string; blocks: KnownBlock[] };
  return { ...message, texts: message.blocks.map(({ text }) => text) };
};
const discord = (source: Source) => {
  const message = discordMessage(source) satisfies RESTPostAPIWebhookWithTokenJSONBody;
  const [embed = { title: '' }] = message.embeds as { title: string; description?: string; url?: string }[];
  return { ...message, embed };
};

const hostile = [
  '@everyone @here <@123> <@&123> <#123> <!channel> <!here|x> <!subteam^S1>',
  '[free](https://evil.example) <https://evil.example|free> https://evil.example http://evil.example',
  '**bold** *it* __u__ ~~s~~ ||spoiler|| `code` ```block``` _i_ ~x~ \\*a\\* \\\\[x](https://e.example)',
  '# big\n## less\n-# small\n> quote\n>>> all\n- one\n* two\n+ three\n1. four\n12. five',
  '<:emoji:1> <a:emoji:1> <t:1618953630:d> </command:1> <id:guide> &lt;!channel&gt; &amp;',
];

describe('a message for Slack', () => {
  it.each<[string, Source, string, string, string | undefined]>([
    ['a ping', ping, 'Ping: News about bots will appear here', 'This message tests the address.', baseUrl],
    ['a new bot', created({}), `New bot: ${bot.name}`, bot.description, bot.url],
    ['a removed bot', removed('It sent spam.'), `Removed bot: ${bot.slug}`, 'Reason: It sent spam.', bot.url],
    ['a bot that lacks its template', removed('template_gone'), bot.slug, 'Its template is gone.', bot.url],
    ['a hidden bot', removed(null), `Removed bot: ${bot.slug}`, 'It is hidden for now.', bot.url],
  ])('says what happened to %s', (_what, source, title, text, url) => {
    const { texts, ...message } = slack(source);
    expect(texts[0]?.text).toContain(title);
    expect(texts[1]?.text).toContain(text);
    expect(texts[2]?.text).toBe(url && `<${url}|Open in the directory>`);
    for (const part of [title, text, url ?? '']) expect(message.text).toContain(part);
  });

  it('has no empty part', () => {
    expect(slack(created({ description: '' })).texts).toHaveLength(2);
  });

  it.each(hostile)('escapes %j', (text) => {
    const { texts, ...message } = slack(created({ name: text, description: text }));
    expect([texts[0]?.type, texts[1]?.type, message.mrkdwn]).toEqual(['plain_text', 'plain_text', false]);
    for (const one of [texts[0]?.text, texts[1]?.text, message.text]) {
      expect(one).not.toMatch(/[<>]/);
      expect(one).not.toMatch(/&(?!(?:amp|lt|gt);)/);
    }
    expect(texts[2]?.text).toBe(`<${bot.url}|Open in the directory>`);
  });

  it('cuts no character', () => {
    const { texts } = slack(created({ name: '👨‍👩‍👧‍👦'.repeat(30), description: '' }));
    expect(texts[0]?.text).toBe(`New bot: ${'👨‍👩‍👧‍👦'.repeat(12)}…`);
  });

  it('is not longer than Slack allows, whatever the texts are, and cuts no escape', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), fc.constantFrom('', '&', '<>'), (text, filler) => {
        const long = text + filler.repeat(700);
        const { texts, ...message } = slack(created({ name: long, description: long }));
        expect(texts[0]?.text.length).toBeLessThanOrEqual(150);
        expect(texts[1]?.text.length ?? 0).toBeLessThanOrEqual(3_000);
        expect(message.text.length).toBeLessThanOrEqual(4_000);
        for (const one of texts.slice(0, 2)) expect(one.text).not.toMatch(/&(?!(?:amp|lt|gt);)/);
      }),
      { numRuns: 20 },
    );
  });
});

/** The kinds of nodes that a text has as Discord reads it, besides text. */
const kinds = (text: string): string[] => {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    else if (typeof node === 'object' && node !== null && 'type' in node) {
      found.add(String(node.type));
      if ('content' in node) visit(node.content);
    }
  };
  visit(parse(text, 'extended'));
  return [...found].filter((kind) => !['text', 'br', 'escape', 'twemoji'].includes(kind));
};

describe('a message for Discord', () => {
  it.each<[string, Source, string, string, string | undefined]>([
    ['a ping', ping, 'News about bots will appear here', 'This message tests the address.', baseUrl],
    ['a new bot', created({ description: 'Sums up a week.' }), bot.name, 'Sums up a week.', bot.url],
    ['a removed bot', removed('It sent spam.'), bot.slug, 'Reason: It sent spam.', bot.url],
  ])('says what happened to %s', (_what, source, title, description, url) => {
    const { content, embed, allowed_mentions } = discord(source);
    expect(embed).toEqual({ title, description, ...(url === undefined ? {} : { url }) });
    expect([content.length > 0, allowed_mentions]).toEqual([true, { parse: [] }]);
  });

  it('has no empty part', () => {
    expect(discord(created({ description: '' })).embed).not.toHaveProperty('description');
  });

  it.each(hostile)('escapes %j', (text) => {
    expect(kinds(text)).not.toEqual([]);
    const { content, embed } = discord(created({ name: text, description: text }));
    expect(content).toBe('New bot');
    for (const part of [embed.title, embed.description ?? '']) expect(kinds(part)).toEqual([]);
  });

  it('is only text, and not longer than Discord allows, whatever the texts are', () => {
    const syntax = fc.constantFrom(...Array.from('*_~`|[]()<>@#:/+-. a1\n\\'), '@everyone', 'https://', '1.', '😀');
    fc.assert(
      fc.property(fc.array(syntax, { maxLength: 500, size: 'max' }), (parts) => {
        const { embed } = discord(created({ name: parts.join(''), description: parts.join('') }));
        expect(embed.title.length).toBeLessThanOrEqual(256);
        expect(embed.description?.length ?? 0).toBeLessThanOrEqual(4_096);
        expect([kinds(embed.title), kinds(embed.description ?? '')]).toEqual([[], []]);
      }),
    );
  });
});

/** The part of Microsoft's own reader that the tests use; its types need a browser's. */
type Reader = {
  readonly AdaptiveCard: new () => {
    parse(card: object, context: Context): void;
    validateProperties(): { readonly validationEvents: readonly unknown[] };
    toJSON(): unknown;
  };
  readonly SerializationContext: new (version: unknown) => Context;
  readonly Versions: { readonly v1_4: unknown };
};
type Context = { readonly eventCount: number };
const require = createRequire(import.meta.url);
const { AdaptiveCard, SerializationContext, Versions } = require('adaptivecards/dist/adaptivecards.js') as Reader;

/** The card in a message as the reader understands it, in the newest version that workflows take. */
const cardIn = (source: Source) => {
  const { type, attachments } = teamsMessage(source);
  expect([type, attachments.length]).toEqual(['message', 1]);
  const { contentType, content } = attachments[0] ?? { contentType: '', content: {} };
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
  const card = new AdaptiveCard();
  const context = new SerializationContext(Versions.v1_4);
  card.parse(content, context);
  expect([context.eventCount, card.validateProperties().validationEvents]).toEqual([0, []]);
  return card.toJSON() as {
    readonly body: { readonly type: string; readonly inlines: { readonly type: string; readonly text: string }[] }[];
    readonly actions?: { readonly url: string }[];
  };
};
const runsIn = (source: Source): string[] =>
  cardIn(source).body.flatMap(({ type, inlines }) => {
    // Markdown counts in blocks of text, and in no run of one.
    expect([type, inlines.map((run) => run.type)]).toEqual(['RichTextBlock', ['TextRun']]);
    return inlines.map(({ text }) => text);
  });

describe('a message for Teams', () => {
  it.each<[string, Source, string[], string | undefined]>([
    ['a ping', ping, ['Ping: News about bots will appear here', 'This message tests the address.'], baseUrl],
    ['a new bot', created({ description: 'Sums up a week.' }), [`New bot: ${bot.name}`, 'Sums up a week.'], bot.url],
    ['a bot without a description', created({ description: '' }), [`New bot: ${bot.name}`], bot.url],
    ['a removed bot', removed('It sent spam.'), [`Removed bot: ${bot.slug}`, 'Reason: It sent spam.'], bot.url],
  ])('says what happened to %s', (_what, source, texts, url) => {
    expect(runsIn(source)).toEqual(texts);
    expect(cardIn(source).actions?.map((action) => action.url)).toEqual(url && [url]);
  });

  it.each([...hostile, '<at>Ada</at> {{DATE(2017-02-14T06:08:00Z)}} {{{TIME(2017-02-14T06:08:00Z)}}}', '${name}'])(
    'has %j as runs of text, which format nothing, and in nothing else',
    (text) => {
      const [title = '', ...rest] = runsIn(created({ name: text, description: text }));
      // A line is a block.
      expect(rest.join('\n').replaceAll('\u200b', '')).toBe(text);
      expect(title).toBe(`New bot: ${rest.join('\n')}`);
      expect(title).not.toContain('{{');
      const { attachments } = teamsMessage(created({ name: text, description: text }));
      const { body: _texts, ...others } = attachments[0]?.content ?? { body: [] };
      expect(JSON.stringify(others)).not.toContain(JSON.stringify(text).slice(1, -1));
      expect(JSON.stringify(attachments)).not.toMatch(/"entities"|"TextBlock"/);
    },
  );

  it('is smaller than Teams allows, whatever the texts are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500, size: 'max' }), (text) => {
        const message = teamsMessage(created({ name: text.slice(0, 100), description: text }));
        expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(28 * 1_024);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a message for Google Chat', () => {
  it.each<[string, Source, string]>([
    ['a ping', ping, `Ping: News about bots will appear here\nThis message tests the address.\n${baseUrl}`],
    [
      'a new bot',
      created({ name: 'Mail', description: 'Sums up a week.' }),
      `New bot: Mail\nSums up a week.\n${bot.url}`,
    ],
    ['a bot without a description', created({ name: 'Mail', description: '' }), `New bot: Mail\n${bot.url}`],
  ])('says what happened to %s', (_what, source, text) => {
    expect(googleChatMessage(source)).toEqual({ text });
  });

  it.each([
    ...hostile,
    '<users/all> hi',
    '<https://evil.example.com|here>',
    '*bold* _italic_ ~struck~ `code`',
    '- a list\n* another\n1. one\n> said',
    'http://evil.example.com www.evil.example',
  ])('has %j as a text that notifies nobody, links nowhere and formats nothing', (text) => {
    const { text: message } = googleChatMessage(created({ name: text, description: text }));
    const shown = message.slice(0, message.lastIndexOf('\n'));
    expect(shown).not.toMatch(/[*_~`]|<(?!\u200b)|:\/\/|\bwww\./);
    expect(shown).not.toMatch(/^\s*(?:[-+>#]|\d+\.)/m);
  });

  it('is smaller than Google Chat allows, whatever the texts are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500, size: 'max' }), (text) => {
        const message = googleChatMessage(created({ name: text.slice(0, 100), description: text }));
        expect(Buffer.byteLength(message.text)).toBeLessThan(32_000);
      }),
      { numRuns: 20 },
    );
  });
});

describe('the text of a message for Slack', () => {
  it('has no effect where Mattermost, Rocket.Chat or Discord read it', () => {
    const texts = [
      '@everyone',
      '@all: hi',
      '[here](https://evil.example.com)',
      'http://evil.example.com',
      'www.evil.example',
    ];
    for (const text of texts) {
      const [shown = '', ...link] = slackMessage(created({ name: text, description: '' })).text.split('\n');
      expect(shown, text).not.toMatch(/@\w|\]\(|:\/\/|\bwww\./);
      expect(shown.replaceAll('\u200b', '')).toBe(`New bot: ${text}`);
      expect(link).toEqual([bot.url]);
    }
  });
});
