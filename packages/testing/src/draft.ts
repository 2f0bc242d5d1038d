/** Bots as they are about to be published, for tests and benchmarks that go past the HTTP API. */
import type { BotDraft, TemplateId } from './server.ts';

/** What a publication that nothing blocks passes to the store. */
export const unblocked = { blocksVersion: 0, isPending: false } as const;

/** A draft that has what it is given, and for everything else what any bot may have. */
export const draftWith = (own: Partial<BotDraft> & Pick<BotDraft, 'id'>): BotDraft => {
  const { templateId = `t-${own.id}` as TemplateId } = own;
  return {
    templateId,
    link: `https://templates.example.com/bot/${templateId}`,
    wantedSlug: own.id.toLowerCase(),
    name: 'A bot',
    description: '',
    author: null,
    sourceUrl: null,
    integrations: [],
    provided: [],
    categories: ['SEO'],
    ...own,
  };
};
