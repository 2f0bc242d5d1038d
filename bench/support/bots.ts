/** Bots that compress as real ones do: each has words of its own, and the same words in every run. */
import { createHash } from 'node:crypto';
import { draftWith, unblocked } from '@bot-directory/testing/draft';
import { createIds } from '../../packages/server/src/base/ids.ts';
import { createLog } from '../../packages/server/src/base/log.ts';
import type { Author, TemplateId } from '../../packages/server/src/domain/links.ts';
import type { BotDraft } from '../../packages/server/src/domain/bot.ts';
import type { IntegrationSlug } from '../../packages/server/src/domain/names.ts';
import { createBotStore } from '../../packages/server/src/store/bots/bot-store.ts';
import { openStore } from '../../packages/server/src/redis/open-store.ts';

/** The host of all template links. */
export const templateHost = 'templates.example.com';

const atOnce = 500;
const words = (
  'reads writes watches sorts answers drafts checks counts books plans mails posts every new open late urgent weekly daily ' +
  'invoice ticket order lead calendar inbox sheet report contract review meeting campaign release incident customer team ' +
  'and then for with from into before after without your our their a the one at in it when sends keeps asks finds'
).split(' ');
const integrations = ['gmail', 'slack', 'notion', 'google-sheets', 'hubspot', 'linear', 'github', 'stripe'];
const categories = ['Marketing', 'SEO', 'Engineering', 'Sales', 'Support', 'Finance'];
const ids = createIds(Date.now);

/** Returns the template number `n`, as the provider describes it. */
export const templateOf = (n: number): { name: string; description: string; integrations: IntegrationSlug[] } => {
  const random = createHash('sha256').update(String(n)).digest();
  const picked = [...random].map((byte) => words[byte % words.length]);
  return {
    name: `${picked.slice(0, 3).join(' ')} ${n}`,
    description: `${picked.slice(3, 12).join(' ')}; ${picked.slice(12, 22).join(' ')}. ${picked.slice(22).join(' ')}.`,
    integrations: integrations.filter((_, i) => ((random[0] ?? 0) >> i) % 2 === 1).slice(0, 3) as IntegrationSlug[],
  };
};

/** Makes the draft of template number `n`. Its slug is free. */
const draftOf = (n: number): BotDraft => {
  const templateId = `t${n}` as TemplateId;
  const author = `@maker_${n % 97}` as Author;
  return draftWith({
    ...templateOf(n),
    id: ids.bot(),
    templateId,
    link: `https://${templateHost}/bot/${templateId}`,
    wantedSlug: `bot-number-${n}`,
    author,
    sourceUrl: `https://x.com/${author.slice(1)}/status/${1_000_000 + n}`,
    categories: [categories[n % categories.length] ?? ''],
  });
};

/** Publishes the bots numbered `first` to `first + count - 1`, through the server's own store. */
export const publishBots = async (
  redisUrl: string,
  { first, count }: { first: number; count: number },
): Promise<void> => {
  const store = openStore([redisUrl], createLog('warn'), { deadlineMs: 60_000 });
  while (!(await store.ping())) await new Promise((resolve) => setTimeout(resolve, 10));
  const bots = createBotStore(store);
  for (let n = first; n < first + count; n += atOnce) {
    const size = Math.min(atOnce, first + count - n);
    await Promise.all(Array.from({ length: size }, (_, i) => bots.publish(draftOf(n + i), ids.event(), unblocked)));
  }
  await store.close();
};
