/** The page of a bot, with up to three similar ones; and its badge. */
import { reportReasons } from '@bot-directory/contract';
import { badge, emptyForm, type FormState } from '@bot-directory/site';
import type { Listing } from '../domain/listing.ts';
import { eachBitDown } from '../domain/ordinals.ts';
import { relatedTo } from '../domain/related.ts';
import { botMissing } from '../domain/withdrawal.ts';
import { fileHeaders } from './headers.ts';
import type { PageRead, PageState, Sendable } from './page-read.ts';
import { sendablePage, type Site } from './site.ts';

/** The page of a slug. Its state depends only on the bots on it, so another bot's install changes nothing. */
export const botPage = (site: Site, slug: string): PageRead => {
  let known: { readonly of: string; readonly related: readonly number[] } | undefined;
  const related = (): readonly number[] => {
    const of = `${site.directory.lineage}.${site.directory.bots.version}`;
    if (known?.of !== of) known = { of, related: relatedBots(site, ordinalOf(site, slug)) };
    return known.related;
  };
  return {
    key: `bot ${slug}`,
    state: () => stateOf(site, [ordinalOf(site, slug), ...related()]),
    make: () => botView(site, { slug, related: related(), form: emptyForm }),
  };
};

/** The badge of a slug. */
export const botBadge = (site: Site, slug: string): PageRead => ({
  key: `badge ${slug}`,
  state: () => stateOf(site, [ordinalOf(site, slug)]),
  make: () => ({
    body: badge(site.directory.bots.bot(ordinalOf(site, slug))),
    contentType: 'image/svg+xml',
    headers: fileHeaders(site.frame, { isShared: true }),
  }),
});

/** The page with its report form, as it was sent. */
export const botPageWithReport = (site: Site, slug: string, form: FormState): Sendable =>
  botView(site, { slug, related: relatedBots(site, ordinalOf(site, slug)), form });

const botView = (
  site: Site,
  { slug, related, form }: { slug: string; related: readonly number[]; form: FormState },
): Sendable => {
  const { bots } = site.directory;
  return sendablePage(
    site,
    {
      page: 'bot',
      bot: bots.bot(ordinalOf(site, slug)),
      related: related.map((ordinal) => bots.bot(ordinal)),
      report: site.isOpen ? { reasons: reportReasons, form } : undefined,
    },
    `https://${site.frame.templateHost}`,
  );
};

const ordinalOf = ({ directory }: Site, slug: string): number => {
  const ordinal = directory.bots.ordinalOfSlug(slug);
  if (ordinal === undefined) throw botMissing(directory.removal(slug));
  return ordinal;
};

const stateOf = ({ directory: { bots, lineage } }: Site, ordinals: readonly number[]): PageState => {
  const states = ordinals.map((ordinal) => bots.stateOf(ordinal));
  return {
    version: [lineage, ...states.map(({ version }) => version)].join('.'),
    changedAtMs: Math.max(...states.map(({ changedAtMs }) => changedAtMs)),
  };
};

/** How many of the newest bots of a category are considered; there may be very many. */
const lookedAt = 60;

const anyBot: Listing = {
  sort: 'newest',
  categories: [],
  integrations: [],
  author: undefined,
  words: [],
  limit: undefined,
  after: undefined,
};

const relatedBots = ({ directory: { bots } }: Site, ordinal: number): readonly number[] => {
  const bot = bots.bot(ordinal);
  const bits = bots.listed();
  bots.index.select({ ...anyBot, categories: bot.categories }, bits);
  const found: number[] = [];
  eachBitDown(bits, bits.length * 32, (other) => other === ordinal || found.push(other) < lookedAt);
  const candidates = found.map((other) => ({ ordinal: other, bot: bots.bot(other) }));
  return relatedTo(bot, candidates);
};
