/**
 * Formats of other services: an event as CloudEvents or a chat takes it, instead of its envelope. Each is a JSON body,
 * POSTed like an envelope. Anyone may write the texts of bots: in a message they are escaped, so that they notify
 * nobody, link nowhere and format nothing, and are cut at the service's limits.
 */
import type { EventMap, EventType, FieldError, WebhookFormat } from '@bot-directory/contract';
import { countLeading } from '../base/binary-search.ts';
import { botPath } from './bot.ts';
import { cutAt } from './display-text.ts';
import { noticeInWords, type NoticeEnvelope } from './notice.ts';
import type { WebhookUrl } from './webhook-url.ts';

/** An event or a notice, and the base URL of the directory. */
export type Source = { readonly envelope: EventMap[EventType] | NoticeEnvelope; readonly baseUrl: string };

/** Version 1.0 in structured mode: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md. */
const cloudEvent = ({ envelope: { id, type, created_at, data }, baseUrl }: Source): object => ({
  specversion: '1.0',
  id,
  source: baseUrl,
  type,
  time: created_at,
  datacontenttype: 'application/json',
  data,
});

/** What a message says, in plain text. */
type Message = {
  readonly headline: string;
  readonly title: string;
  readonly text: string;
  readonly url: string | undefined;
};

const headlines = {
  'bot.created': 'New bot',
  'bot.updated': 'Changed bot',
  'bot.removed': 'Removed bot',
  'bot.restored': 'Restored bot',
} as const;

const messageOf = ({ envelope, baseUrl }: Source): Message => {
  switch (envelope.type) {
    case 'ping':
      return {
        headline: 'Ping',
        title: 'News about bots will appear here',
        text: 'This message tests the address.',
        url: baseUrl,
      };
    case 'bot.removed': {
      const { slug, reason } = envelope.data;
      const text = reason === null ? 'It is hidden for now.' : (reasons[reason] ?? `Reason: ${reason}`);
      return { headline: headlines[envelope.type], title: slug, text, url: `${baseUrl}${botPath(slug)}` };
    }
    case 'operator.notice':
      return { headline: 'For the operator', ...noticeInWords(envelope.data), url: baseUrl };
    default: {
      const { name, description, url } = envelope.data;
      return { headline: headlines[envelope.type], title: name, text: description, url };
    }
  }
};

const reasons: Readonly<Record<string, string>> = { template_gone: 'Its template is gone.' };

/** Escapes a text. The result is at most `longest` UTF-16 units long: a longer one is cut first, and ends in `…`. */
const escapedWithin = (longest: number, text: string, escape: (text: string) => string): string => {
  const whole = escape(text);
  if (whole.length <= longest) return whole;
  const cut = (most: number): string => `${escape(cutAt(text, most))}…`;
  return cut(countLeading(longest, (most) => cut(most).length <= longest) - 1);
};

/** https://docs.slack.dev/reference/block-kit/blocks */
const slackLimits = { header: 150, section: 3_000 };

/** The three characters that Slack gives a meaning; it wants no others escaped. */
const escapeForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Breaks what others give a meaning in the `text` of Slack's messages, by a space of no width: Mattermost and
 * Rocket.Chat read mentions, links and addresses there, as Markdown, and ignore the blocks.
 */
const harmless = (text: string): string =>
  text
    .replace(/@(?=[\p{L}\p{N}_])/gu, '@\u200b')
    .replace(/\](?=[([:])/g, ']\u200b')
    .replace(/:(?=\/\/)/g, ':\u200b')
    .replace(/\bwww(?=\.)/gi, '$&\u200b');

/**
 * The body for an incoming webhook of Slack. Texts of bots are `plain_text`, which has no formatting; `text`, which
 * notifications show, and other services alone, is not formatted either.
 */
export const slackMessage = (source: Source) => {
  const { headline, title, text, url } = messageOf(source);
  const plain = (longest: number, content: string) =>
    ({ type: 'plain_text', text: escapedWithin(longest, content, escapeForSlack), emoji: false }) as const;
  const section = <Text>(content: Text) => ({ type: 'section', text: content }) as const;
  const link = url === undefined ? undefined : escapeForSlack(url);
  const body = [`${headline}: ${title}`, text].filter((line) => line !== '').join('\n');
  return {
    text: [
      escapedWithin(slackLimits.section, body, (all) => escapeForSlack(harmless(all))),
      ...(link === undefined ? [] : [link]),
    ].join('\n'),
    mrkdwn: false,
    unfurl_links: false,
    blocks: [
      { type: 'header', text: plain(slackLimits.header, `${headline}: ${title}`) } as const,
      ...(text === '' ? [] : [section(plain(slackLimits.section, text))]),
      ...(link === undefined
        ? []
        : [section({ type: 'mrkdwn', text: `<${link}|Open in the directory>`, verbatim: true } as const)]),
    ],
  };
};

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const discordLimits = { title: 256, description: 4_096 };

/** What Discord gives a meaning: Markdown, mentions, links, and some characters at the start of a line. */
const discordSyntax = /[\\*_~`|[\]()<@]|:(?=\/\/)|(?<=^\s*)[-+#>]|(?<=^\s*\d+)\./gm;

const escapeForDiscord = (text: string): string => text.replace(discordSyntax, String.raw`\$&`);

/** The body for a webhook of Discord. Texts of bots are in the embed only, where a mention would notify nobody. */
export const discordMessage = (source: Source) => {
  const { headline, title, text, url } = messageOf(source);
  return {
    content: headline,
    embeds: [
      {
        title: escapedWithin(discordLimits.title, title, escapeForDiscord),
        ...(text === '' ? {} : { description: escapedWithin(discordLimits.description, text, escapeForDiscord) }),
        ...(url === undefined ? {} : { url }),
      },
    ],
    allowed_mentions: { parse: [] },
  };
};

/**
 * The body for a workflow of Microsoft Teams, which posts each attachment: one Adaptive Card. Its runs of text have no
 * Markdown and no mentions (https://adaptivecards.io/explorer/TextRun.html); in a text block, where both would count,
 * the clients differ in what escapes them. Workflows take no version above 1.4.
 */
export const teamsMessage = (source: Source) => {
  const { headline, title, text, url } = messageOf(source);
  const run = (content: string, style: { readonly size?: 'large'; readonly weight?: 'bolder' } = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: withoutDates(content), ...style }],
  });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.2',
          body: [
            run(`${headline}: ${title}`, { size: 'large', weight: 'bolder' }),
            ...text.split('\n').flatMap((line) => (line === '' ? [] : [run(line)])),
          ],
          ...(url === undefined ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open in the directory', url }] }),
        },
      },
    ],
  };
};

/** Breaks what cards replace by a date or a time, `{{DATE(…)}}`, by a space of no width. */
const withoutDates = (text: string): string => text.replace(/\{(?=\{)/g, '{\u200b');

/** https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages: 32,000 bytes; far less is read. */
const googleChatLength = 4_000;

/** What Google Chat formats by, which it has no way to escape, and what looks the same. */
const lookAlikes: Readonly<Record<string, string>> = { '*': '\u2217', _: '\u02cd', '~': '\u223c', '`': '\u02cb' };

/**
 * Takes its meaning from what Google Chat reads in a text (https://developers.google.com/workspace/chat/format-messages):
 * formats by signs that look the same; mentions, links, lists and quotes by a space of no width.
 */
const harmlessInGoogleChat = (text: string): string =>
  text
    .replace(/[*_~`]/g, (sign) => lookAlikes[sign] ?? sign)
    .replace(/<(?!\u200b)/g, '<\u200b')
    .replace(/:(?=\/\/)/g, ':\u200b')
    .replace(/\bwww(?=\.)/gi, '$&\u200b')
    .replace(/^(?=\s*(?:[-+>#]|\d+\.))/gm, '\u200b');

/** The body for an incoming webhook of Google Chat: a text. */
export const googleChatMessage = (source: Source) => {
  const { headline, title, text, url } = messageOf(source);
  const body = [`${headline}: ${title}`, text].filter((line) => line !== '').join('\n');
  const shown = escapedWithin(googleChatLength, body, harmlessInGoogleChat);
  return { text: url === undefined ? shown : `${shown}\n${url}` };
};

const formats: Readonly<Record<WebhookFormat, { readonly type: string; readonly make: (source: Source) => object }>> = {
  cloudevents: { type: 'application/cloudevents+json', make: cloudEvent },
  discord: { type: 'application/json', make: discordMessage },
  'google-chat': { type: 'application/json', make: googleChatMessage },
  slack: { type: 'application/json', make: slackMessage },
  teams: { type: 'application/json', make: teamsMessage },
};

/** An event in a format, as the JSON that is sent. */
export const formatted = (format: WebhookFormat, source: Source): object => formats[format].make(source);

/** The media type of a body in a format, or of an envelope. */
export const contentTypeOf = (format: WebhookFormat | undefined): string =>
  format === undefined ? 'application/json' : formats[format].type;

const slackHost = /^hooks\.slack(?:-gov)?\.com$/;
const discordHost = /^(?:\w+\.)?discord(?:app)?\.com$/;

/** The format that a service is known to expect at its addresses. */
export const expectedFormat = (url: WebhookUrl): WebhookFormat | undefined => {
  const { hostname, pathname } = new URL(url);
  if (slackHost.test(hostname) && pathname.startsWith('/services/')) return 'slack';
  if (hostname === 'chat.googleapis.com' && pathname.startsWith('/v1/spaces/')) return 'google-chat';
  return discordHost.test(hostname) && /^\/api\/(?:v\d+\/)?webhooks\//.test(pathname) ? 'discord' : undefined;
};

/**
 * Why events in this format may not be sent to a URL, if a service is known to read them otherwise there. Discord has
 * addresses that take the messages of Slack and of GitHub, and reads their texts as its own Markdown.
 */
export const formatFault = (url: WebhookUrl, format: WebhookFormat | undefined): FieldError | undefined => {
  const expected = expectedFormat(url);
  if (expected === undefined) return undefined;
  const [other] = /\/(?:slack|github)\/?$/.exec(new URL(url).pathname) ?? [];
  if (expected === 'discord' && other !== undefined)
    return { pointer: '/url', detail: `must be Discord's own address, without ${other}, with "format": "discord"` };
  return format === expected ? undefined : { pointer: '/format', detail: `must be "${expected}" at this service` };
};
