/** A bot as the store keeps it, and as the API shows it. */
import type { Bot } from '@bot-directory/contract';
import type { BotId } from '../base/ids.ts';
import { timestamp } from '../base/clock.ts';
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

/** The bot that a draft becomes under `slug`. */
export const draftedBot = (draft: BotDraft, slug: string, baseUrl: string): Bot => ({
  id: draft.id,
  slug,
  name: draft.name,
  description: draft.description,
  author: draft.author,
  url: `${baseUrl}${botPath(slug)}`,
  source_url: draft.sourceUrl,
  integrations: [...draft.integrations],
  categories: [...draft.categories],
  install_count: 0,
  created_at: timestamp(draft.createdAtMs),
});
