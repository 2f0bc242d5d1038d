import { bot } from '@bot-directory/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BotId } from '../base/ids.ts';
import {
  botFromHash,
  botToHash,
  dayOf,
  draftedBot,
  recentInstalls,
  refreshedIntegrations,
  type BotDraft,
} from './bot.ts';
import type { IntegrationSlug } from './names.ts';
import type { Author, TemplateId } from './links.ts';

const baseUrl = 'https://bots.example.com';
const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const draft: fc.Arbitrary<BotDraft> = fc.record({
  id: fc.constant('bot_01M7YAV3PXPR9JYQYS5FWGY2KM' as BotId),
  templateId: word.map((text) => text as TemplateId),
  link: fc.webUrl(),
  wantedSlug: word,
  name: fc.string({ unit: 'grapheme', minLength: 1 }),
  description: fc.string({ unit: 'grapheme' }),
  author: fc.option(word.map((text) => `@${text}` as Author)),
  sourceUrl: fc.option(fc.webUrl()),
  integrations: fc.array(word.map((text) => text as IntegrationSlug)),
  written: fc.array(word),
  provided: fc.array(word.map((text) => text as IntegrationSlug)),
  categories: fc.array(word),
});

const time = fc.integer({ min: 0, max: 4_102_444_800_000 });

const asMap = (flat: readonly (string | number)[]): Map<string, string> =>
  new Map(flat.flatMap((name, at) => (at % 2 === 0 ? [[String(name), String(flat[at + 1])]] : [])));

describe('a draft, written as a hash and read back under a slug', () => {
  it('is the bot that it becomes, with nothing lost and nothing that the contract does not know', () => {
    fc.assert(
      fc.property(draft, time, (drafted, createdAtMs) => {
        const hash = asMap(botToHash(drafted))
          .set('slug', 'a-bot-2')
          .set('created_at', String(createdAtMs))
          .set('changed_at', String(createdAtMs));
        const stored = botFromHash(hash, { baseUrl });
        expect(stored).toEqual({
          bot: {
            id: drafted.id,
            slug: 'a-bot-2',
            name: drafted.name,
            description: drafted.description,
            author: drafted.author,
            url: `${baseUrl}/bots/a-bot-2`,
            source_url: drafted.sourceUrl,
            integrations: drafted.integrations,
            categories: drafted.categories,
            install_count: 0,
            created_at: new Date(createdAtMs).toISOString(),
          },
          changedAtMs: createdAtMs,
          updatedAtMs: createdAtMs,
          recentInstalls: '',
          written: drafted.written.join(','),
          templateId: drafted.templateId,
        });
        expect(botFromHash(hash.set('updated_at', '9'), { baseUrl }).updatedAtMs).toBe(9);
        expect(bot.strict().parse(stored.bot)).toEqual(stored.bot);
        expect(draftedBot(drafted, { slug: 'a-bot-2', createdAtMs }, baseUrl)).toEqual(stored.bot);
        expect([hash.get('template_id'), hash.get('link')]).toEqual([drafted.templateId, drafted.link]);
        expect(hash.has('author')).toBe(drafted.author !== null);
      }),
    );
  });

  it('has its fields in the order of the contract', () => {
    const stored = botFromHash(new Map([['slug', 'a']]), { baseUrl });
    expect(Object.keys(stored.bot)).toEqual(Object.keys(bot.shape));
  });
});

describe('integrations, after a template was read that names others', () => {
  const slugs = fc.uniqueArray(fc.stringMatching(/^[a-h]$/), { maxLength: 8 });

  it('are those of people, which stay, and those of the provider that it still names', () => {
    fc.assert(
      fc.property(slugs, slugs, slugs, (people, provider, offered) => {
        const provided = provider.filter((slug) => !people.includes(slug));
        const after = refreshedIntegrations({ integrations: [...people, ...provided], provided }, offered);
        expect(new Set(after.integrations)).toEqual(new Set([...people, ...offered]));
        expect(after.integrations).toHaveLength(new Set(after.integrations).size);
        expect(after.integrations.filter((slug) => !after.provided.includes(slug)).sort()).toEqual([...people].sort());
        expect(refreshedIntegrations(after, offered)).toEqual(after);
      }),
    );
  });
});

describe('the installs of the last days', () => {
  it.each([
    ['none', '', 0],
    ['today alone', '100:3', 3],
    ['the first day that counts', '94:2', 2],
    ['the last that no longer does', '93:2', 0],
    ['all days, one too old, and a gap', '100:1,97:10,94:100,93:1000', 111],
    ['a day to come, after the clock went back', '101:5,100:1', 1],
    ['only days to come', '131:5', 0],
  ])('counts, on day 100, %s', (_what, stored, sum) => {
    expect(recentInstalls(stored, 100)).toBe(sum);
  });

  it('counts each install on seven days, whichever they are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 10, max: 40 })), fc.integer({ min: 0, max: 50 }), (days, today) => {
        const stored = [...days].sort((a, b) => b - a).map((day) => `${day}:1`);
        const counted = days.filter((day) => day <= today && today - day < 7).length;
        expect(recentInstalls(stored.join(','), today)).toBe(counted);
      }),
    );
  });

  it('begins a day at midnight in UTC', () => {
    const midnightMs = Date.parse('2026-11-27T00:00:00Z');
    expect(dayOf(midnightMs) - dayOf(midnightMs - 1)).toBe(1);
    expect(dayOf(midnightMs + 86_399_999)).toBe(dayOf(midnightMs));
  });
});
