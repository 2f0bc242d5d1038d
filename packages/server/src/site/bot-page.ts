/** The page of a bot, with up to three similar ones; its badge; and its two forms, which report and install it. */
import type { Request, Response } from 'express';
import { reportReasons, type Post } from '@bot-directory/contract';
import { badge, emptyForm, type FormState } from '@bot-directory/site';
import type { BotId } from '../base/ids.ts';
import { botMissing, botPath } from '../domain/bot.ts';
import { networkOf } from '../domain/ip-address.ts';
import type { Sendable } from '../http/problems.ts';
import type { BoundOperations } from '../operations/index.ts';
import type { ReadRow, State } from '../reads/read.ts';
import type { BotStore } from '../store/bot-store.ts';
import { fieldOf, filled, isFromHere, redirect, slugOf, takeForm } from './form.ts';
import { fileHeaders, sendablePage, type Site } from './site.ts';

/** The page. Its state depends only on the bots and posts on it, so another bot's install changes nothing. */
export const botPage: ReadRow<Site> = {
  path: '/bots/:slug',
  read: (site, { params: { slug = '' } }) => {
    // Slugs are lower case; another spelling is redirected.
    if (/[A-Z]/.test(slug)) return undefined;
    const { directory } = site;
    let known: { readonly of: string; readonly linked: Linked } | undefined;
    const linked = (): Linked => {
      const of = `${directory.lineage}.${directory.bots.version}.${directory.posts.version}`;
      if (known?.of !== of) known = { of, linked: linkedFrom(site, slug) };
      return known.linked;
    };
    return {
      query: slug,
      state: () => stateOf(site, linked()),
      make: () => botView(site, { linked: linked(), form: emptyForm }),
    };
  },
};

/** Ordinals of the bots on a bot's page, itself first, and of the posts. */
type Linked = { readonly bots: readonly number[]; readonly posts: readonly number[] };

/** Failures: bot_not_found, bot_gone. */
const linkedFrom = ({ directory }: Site, slug: string): Linked => {
  const ordinal = directory.ordinalOf(slug);
  const { bots, posts } = directory;
  return { bots: [ordinal, ...bots.related(ordinal)], posts: posts.about(bots.bot(ordinal)) };
};

/** The badge. */
export const botBadge: ReadRow<Site> = {
  path: '/bots/:slug/badge.svg',
  read: (site, { params: { slug = '' } }) =>
    /[A-Z]/.test(slug)
      ? undefined
      : {
          query: slug,
          state: () => stateOf(site, { bots: [site.directory.ordinalOf(slug)], posts: [] }),
          make: () => ({
            body: badge(site.directory.bots.bot(site.directory.ordinalOf(slug))),
            contentType: 'image/svg+xml',
            headers: fileHeaders({ isShared: true }),
          }),
        },
};

/** Sends a report and redirects to the bot, or shows its page again with the errors. Failure: bot_not_found. */
export const reportForm = (site: Site, { reportBot }: Pick<BoundOperations, 'reportBot'>) =>
  takeForm(
    async (typed, slug) => {
      await reportBot.take(filled({ reason: fieldOf(typed, 'reason'), text: fieldOf(typed, 'text') }), slug);
      return { redirectTo: `${botPath(slug)}#reported` };
    },
    async ({ failure, form }, slug) => {
      await site.directory.fresh().catch(() => undefined);
      // Without the bot there is no page to show the form on.
      if (site.directory.bySlug(slug) === undefined) throw failure;
      return botView(site, { linked: linkedFrom(site, slug), form });
    },
  );

/**
 * Counts an install, once per visitor and bot in 24 hours, and redirects to the template. A form on another site is
 * redirected too, but does not count: the visitor did not choose the bot here. One address is one visitor, whatever the
 * client claims; only a salted hash of it is kept. Failures: bot_not_found, bot_gone.
 */
export const installForm =
  ({ directory, frame }: Site, bots: BotStore) =>
  async (req: Request, res: Response): Promise<void> => {
    const slug = slugOf(req);
    await directory.fresh();
    const bot = directory.bySlug(slug);
    if (bot === undefined) throw botMissing(directory.removal(slug));
    const counted = isFromHere(req, frame.baseUrl) ? countInstall(bots, bot.id, req.ip ?? '') : undefined;
    const [link] = await Promise.all([bots.linkOf(bot.id), counted]);
    redirect(res, link);
  };

const countInstall = async (bots: BotStore, id: BotId, address: string): Promise<void> => {
  await bots.countInstall(id, await bots.visitorOf(networkOf(address)));
};

const botView = (site: Site, { linked, form }: { linked: Linked; form: FormState }): Sendable => {
  const { bots, posts } = site.directory;
  const [own = 0, ...related] = linked.bots;
  return sendablePage(
    site,
    {
      page: 'bot',
      bot: bots.bot(own),
      posts: linked.posts.map((ordinal) => posts.segments.parsed(ordinal) as Post),
      related: related.map((ordinal) => bots.bot(ordinal)),
      report: site.frame.submissions !== 'closed' ? { reasons: reportReasons, form } : undefined,
    },
    `https://${site.frame.templateHost}`,
  );
};

const stateOf = ({ directory: { bots, posts } }: Site, linked: Linked): State => {
  const states = [...linked.bots.map((one) => bots.stateOf(one)), ...linked.posts.map((one) => posts.stateOf(one))];
  return {
    version: states.map(({ version }) => version).join('.'),
    changedAtMs: Math.max(...states.map(({ changedAtMs }) => changedAtMs)),
  };
};
