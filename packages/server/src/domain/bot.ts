/** A bot before it is published, and where its page stands. */
import type { BotId } from '../base/ids.ts';
import type { Author } from './author.ts';
import type { IntegrationSlug } from './integrations.ts';
import type { TemplateId } from './template-link.ts';

/** A bot that is about to be published. The store decides its slug and its time: it knows those that are taken. */
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
};

/** The page of a bot, without the base address. */
export const botPath = (slug: string): string => `/bots/${slug}`;

/** What the store decides of a bot. */
export type Placing = { readonly slug: string; readonly createdAtMs: number };
