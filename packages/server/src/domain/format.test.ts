import { CloudEvent, HTTP } from 'cloudevents';
import { describe, expect, it } from 'vitest';
import { exampleBot, type EventMap } from '@bot-directory/contract';
import { contentTypeOf, expectedFormat, formatted } from './format.ts';
import { parseWebhookUrl } from './webhook-url.ts';

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
    ['https://discord.com/api/webhooks/1/x/slack', 'slack'],
    ['https://discord.com/channels/1', undefined],
    ['https://hooks.slack.com.example.com/services/x', undefined],
    ['https://evildiscord.com/api/webhooks/1/x', undefined],
    ['https://hooks.example.com/bots', undefined],
  ])('at %s is %s', (raw, format) => {
    const target = parseWebhookUrl(raw, []);
    expect(target.ok && expectedFormat(target.value.url)).toBe(format);
  });
});
