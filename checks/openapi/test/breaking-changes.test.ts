/** The gate lets through what clients do not notice, and nothing that breaks them. */
import { openApi } from '@bot-directory/contract';
import { describe, expect, it } from 'vitest';
import { breakingChanges, gate } from '../src/breaking-changes.ts';
import type { Json } from '../src/schema-changes.ts';

/* oxlint-disable typescript/no-explicit-any -- a document is changed at will */
/* oxlint-disable typescript/no-unsafe-call -- the same */
type Loose = any;

const today = JSON.parse(JSON.stringify(openApi())) as Json;
/** Returns the document after a change. */
const changed = (change: (document: Loose) => void): Json => {
  const copy = structuredClone(today) as Loose;
  change(copy);
  return copy as Json;
};
const submit = (document: Loose) => document.paths['/api/bots/submit'].post;
const submitBody = (document: Loose) => submit(document).requestBody.content['application/json'].schema;
const list = (document: Loose) => document.paths['/api/bots'].get;
const events = (document: Loose) => {
  const { anyOf, oneOf } = document.components.schemas.DirectoryEvent;
  return anyOf ?? oneOf;
};
const bot = (document: Loose) => document.components.schemas.Bot;

const harmless: [string, (document: Loose) => void][] = [
  ['nothing', () => undefined],
  ['a path', (d) => (d.paths['/api/new'] = list(d))],
  ['an optional parameter', (d) => list(d).parameters.push({ name: 'x', in: 'query', schema: { type: 'string' } })],
  [
    'no style, if it was the default',
    (d) => delete list(d).parameters[0].style && delete list(d).parameters[0].explode,
  ],
  ['an optional field of a body', (d) => (submitBody(d).properties.x = { type: 'string' })],
  ['a field of a response', (d) => (bot(d).properties.x = { type: 'string' })],
  ['a field of a response that is always there', (d) => bot(d).required.push('x') && (bot(d).properties.x = {})],
  ['a longer text in a body', (d) => (submitBody(d).properties.link.maxLength = 4096)],
  ['no pattern of a parameter', (d) => delete list(d).parameters[1].schema.pattern],
  ['a field that a body must not have', (d) => (submitBody(d).properties.x = { not: {} })],
  ['a shorter text in a response', (d) => (bot(d).properties.name.maxLength = 50)],
  ['another type in a body', (d) => (submitBody(d).properties.link.type = ['string', 'null'])],
  ['a status of an error', (d) => (submit(d).responses['402'] = submit(d).responses['400'])],
  ['a header', (d) => (list(d).responses['200'].headers['X-New'] = { schema: { type: 'string' } })],
  [
    'an event of a new type',
    (d) =>
      events(d).push({
        ...structuredClone(d.components.schemas.BotCreatedEvent),
        properties: { ...d.components.schemas.BotCreatedEvent.properties, type: { type: 'string', const: 'bot.x' } },
      }),
  ],
  ['other words', (d) => (bot(d).properties.name.description = 'Its name.')],
  ['a webhook', (d) => (d.webhooks['bot.x'] = d.webhooks.ping)],
];

const breaking: [string, (document: Loose) => void, string][] = [
  ['a missing path', (d) => delete d.paths['/api/feed'], 'GET /api/feed: it is gone'],
  ['a missing method', (d) => delete d.paths['/api/webhooks/bots'].delete, 'DELETE /api/webhooks/bots: it is gone'],
  ['another name of an operation', (d) => (list(d).operationId = 'getBots'), 'operationId'],
  ['a missing parameter', (d) => list(d).parameters.shift(), 'query limit: it is gone'],
  [
    'a required parameter',
    (d) => list(d).parameters.push({ name: 'x', in: 'query', required: true, schema: {} }),
    'query x: it is required',
  ],
  ['another style of a parameter', (d) => (list(d).parameters[0].explode = false), 'its explode was another'],
  ['a tighter parameter', (d) => (list(d).parameters[0].schema.maximum = 10), 'maximum was'],
  ['a required field of a body', (d) => submitBody(d).required.push('author'), 'body.author: it is required'],
  ['a new required field of a body', (d) => submitBody(d).required.push('x'), 'body.x: it is required'],
  ['a missing field of a body', (d) => delete submitBody(d).properties.author, 'body.author: it is gone'],
  ['a shorter text in a body', (d) => (submitBody(d).properties.link.maxLength = 100), 'maxLength was 2048 and is 100'],
  ['a pattern in a body', (d) => (submitBody(d).properties.link.pattern = '^a'), 'pattern was'],
  ['values in a body', (d) => (submitBody(d).properties.author.enum = ['@a']), 'its values were nothing'],
  ['no further fields in a body', (d) => (submitBody(d).additionalProperties = false), 'no further fields'],
  ['a missing field of a response', (d) => delete bot(d).properties.slug, '.slug: it is gone'],
  ['a field of a response that may be absent', (d) => bot(d).required.shift(), 'it is optional'],
  ['null in a response', (d) => (bot(d).properties.name.type = ['string', 'null']), 'its type was "string"'],
  ['another type in a response', (d) => (bot(d).properties.install_count.type = 'string'), 'its type was "integer"'],
  ['a missing success', (d) => delete list(d).responses['200'], '200: it is gone'],
  ['a missing header', (d) => delete list(d).responses['200'].headers.ETag, 'the header ETag is gone'],
  [
    'a missing type of content',
    (d) => delete list(d).responses['200'].content['application/json'],
    'application/json is gone',
  ],
  ['a missing webhook', (d) => delete d.webhooks.ping, 'ping: it is gone'],
  ['a missing field of a webhook', (d) => delete d.components.schemas.PingEvent.properties.data, '.data: it is gone'],
  ['an unknown keyword', (d) => (submitBody(d).dependentRequired = { link: ['author'] }), 'dependentRequired'],
];

describe('harmless:', () => {
  it.each(harmless)('%s', (_name, change) => {
    expect(breakingChanges(today, changed(change))).toEqual([]);
  });
});

describe('breaking:', () => {
  it.each(breaking)('%s', (_name, change, said) => {
    const found = breakingChanges(today, changed(change));
    expect(found.length).toBeGreaterThan(0);
    expect(found.join('\n')).toContain(said);
  });

  it('passes with a major version, and with no other', () => {
    const version = (to: string) =>
      changed((d) => {
        delete d.paths['/api/categories'];
        d.info.version = to;
      });
    expect(gate(today, version('1.1.0'))).toEqual([
      '1.1.0 after 1.0.0 breaks clients, which takes a major version:',
      'GET /api/categories: it is gone',
    ]);
    expect(gate(today, version('2.0.0'))).toEqual([]);
  });
});
