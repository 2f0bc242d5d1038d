/** Bots as they are about to be published, for tests and benchmarks that go past the HTTP API. */
import type { BotDraft, TemplateId } from './server.ts';

/** What a publication that nothing blocks passes to the store. */
export const unblocked = { blocksVersion: 0, isPending: false } as const;

/** Makes a draft with these fields, and with defaults for all others. */
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
    written: [],
    provided: [],
    categories: ['SEO'],
    ...own,
  };
};
