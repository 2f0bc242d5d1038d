/** A bot before it is published, and where its page stands. */
import type { BotId } from '../base/ids.ts';
import type { Author } from './author.ts';
import type { IntegrationSlug } from './integrations.ts';
import type { TemplateId } from './template-link.ts';

/** A bot that is about to be published. Its slug is decided by the store, which knows those that are taken. */
export type BotDraft = {
  readonly id: BotId;
  readonly templateId: TemplateId;
  /** The canonical template link: where the install action leads. */
  readonly link: string;
  readonly wantedSlug: string;
  readonly name: string;
  readonly description: string;
  readonly author: Author | null;
  readonly sourceUrl: string | null;
  readonly integrations: readonly IntegrationSlug[];
  readonly categories: readonly string[];
  readonly createdAtMs: number;
};

/** The page of a bot, without the base address. */
export const botPath = (slug: string): string => `/bots/${slug}`;
