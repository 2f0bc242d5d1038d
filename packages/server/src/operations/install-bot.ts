/** The install action: counts a visitor once per bot in 24 hours, and always leads to the template. */
import { createHash } from 'node:crypto';
import { networkOf } from '../domain/ip-address.ts';
import { botMissing } from '../domain/withdrawal.ts';
import type { BotStore } from '../store/bot-store.ts';
import type { Directory } from '../store/directory.ts';

/**
 * Who installs: one address is one visitor, whatever the client claims. Only a salted hash of it is kept, for 24 hours.
 */
export type Visitor = { readonly address: string };

type Deps = { readonly directory: Directory; readonly bots: BotStore };

/**
 * Counts an install of the bot at `slug`, if the visitor is known, and returns its template link. Failures:
 * bot_not_found, bot_gone.
 */
export const installBot = async (
  { directory, bots }: Deps,
  slug: string,
  visitor: Visitor | undefined,
): Promise<string> => {
  await directory.fresh();
  const entry = directory.bySlug(slug);
  if (entry === undefined) throw botMissing(directory.removal(slug));
  if (visitor === undefined) return bots.linkOf(entry.id);
  const salt = await bots.visitorSalt();
  const hash = createHash('sha256')
    .update(JSON.stringify([salt, networkOf(visitor.address)]))
    .digest('base64url')
    .slice(0, 22);
  const [link] = await Promise.all([bots.linkOf(entry.id), bots.countInstall(entry.id, hash)]);
  return link;
};
