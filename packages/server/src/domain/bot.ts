/** A bot before it is published, and the path of its page. */
import type { BotId } from '../base/ids.ts';
import type { Author } from './author.ts';
import type { IntegrationSlug } from './integrations.ts';
import type { TemplateId } from './template-link.ts';

/** A bot that is about to be published. The store decides its slug, because it knows which are taken, and its time. */
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

/** The path of a bot's page, without the base URL. */
export const botPath = (slug: string): string => `/bots/${slug}`;

/** What the store decides about a bot. */
export type Placing = { readonly slug: string; readonly createdAtMs: number };
