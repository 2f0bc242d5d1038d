/**
 * The page of a bot, with up to three similar ones; its badge and picture; and its forms, which install, report and
 * refresh it, and add integrations.
 */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { reportReasons, type Bot, type Post } from '@bot-directory/contract';
import { badge, botPicture, type BotForm, type BotForms } from '@bot-directory/site';
import { timestamp } from '../base/time.ts';
import type { BotId } from '../base/ids.ts';
import { namesakes, related } from '../directory/directory.ts';
import { botMissing, botPath } from '../domain/bot.ts';
import type { Author } from '../domain/links.ts';
import { networkOf } from '../domain/ip-address.ts';
import { listFailure, type Sendable } from '../http/problems.ts';
import type { BoundOperations } from '../operations/index.ts';
import type { ResourceRoute, State } from '../reads/resource.ts';
import type { BotStore } from '../store/bots/bot-store.ts';
import type { LastReading } from '../store/readings/reading-store.ts';
import {
  fieldOf,
  filled,
  isFromHere,
  namesOf,
  redirect,
  refusedField,
  slugOf,
  takeForm,
  type FormContext,
  type Typed,
} from './form.ts';
import { listingOf } from './shelves.ts';
import { fileHeaders, sendablePage, type Site } from './site.ts';

/** The page. Its state depends only on the bots and posts on it, so another bot's install changes nothing. */
export const botPage: ResourceRoute<Site> = {
  path: '/bots/:slug',
  find: (site, { params: { slug = '' } }) => {
    // Slugs are lower case, and a chat takes the `)` or `.` after an address for a part of it.
    const own = slug.toLowerCase().replace(/[^a-z0-9]+$/, '');
    if (own !== slug && own !== '') return { redirectTo: botPath(own) };
    const { directory } = site;
    let known: { readonly of: string; readonly linked: Linked } | undefined;
    const linked = (): Linked => {
      const { bots, posts } = directory;
      const of = [directory.epoch, bots.version, posts.version].join('.');
      if (known?.of !== of) known = { of, linked: linkedFrom(site, slug) };
      return known.linked;
    };
    let template: LastReading | undefined;
    return {
      query: slug,
      freshness: {
        of: 'directory',
        also: async () => {
          template = await readingOf(site, slug);
        },
        state: () => withTemplate(stateOf(site, linked()), template),
      },
      make: () => botView(site, linked(), { template }),
    };
  },
};

/** The last reading of a bot's template; `undefined` if there was none since it was published. */
const readingOf = async ({ directory, readings }: Site, slug: string): Promise<LastReading | undefined> => {
  const id = directory.bySlug(slug)?.id;
  return id && readings?.lastOf(id).catch(() => undefined);
};

/** What a bot's page shows: ordinals of bots and posts, and suggested integrations, A–Z. */
type Linked = {
  readonly own: number;
  readonly related: readonly number[];
  readonly others: readonly number[];
  readonly namesakes: readonly number[];
  readonly posts: readonly number[];
  readonly suggestions: readonly string[];
  /** Names of integrations, which other bots may change. */
  readonly names: readonly string[];
};

/** How many other bots of the author are shown. */
const mostOthers = 3;
/** How many integrations are suggested. */
const mostSuggestions = 50;

/** Finds what a bot's page shows. Failures: bot_not_found, bot_gone. */
const linkedFrom = ({ directory, frame }: Site, slug: string): Linked => {
  const own = directory.ordinalOf(slug);
  const { bots, posts } = directory;
  const bot = bots.bot(own);
  const alike = related(bots, own);
  const used = bots.index.countIntegrations().slice(0, mostSuggestions);
  const suggestions = used.flatMap(({ slug: name }) => (bot.integrations.includes(name) ? [] : [name])).sort();
  const shown = [bot, ...alike.map((ordinal) => bots.bot(ordinal))].flatMap(({ integrations }) => integrations);
  return {
    own,
    related: alike,
    others: byAuthor(bots, bot.author, mostOthers, [own, ...alike]),
    namesakes: namesakes(bots, own),
    posts: posts.about(bot),
    suggestions,
    names: [...shown, ...suggestions].map((name) => frame.integrationName(name)),
  };
};

/** The newest bots of an author, without some. */
const byAuthor = (
  bots: Site['directory']['bots'],
  author: string | null,
  most: number,
  without: readonly number[],
): number[] => {
  if (author === null) return [];
  const bits = bots.listed();
  bots.index.select(listingOf({ author: author as Author }), bits);
  const found: number[] = [];
  bots.index.each(bits, { sort: 'newest', start: undefined }, (ordinal) => {
    if (!without.includes(ordinal)) found.push(ordinal);
    return found.length < most;
  });
  return found;
};

/** The badge. */
export const botBadge: ResourceRoute<Site> = {
  path: '/bots/:slug/badge.svg',
  find: (site, { params: { slug = '' } }) =>
    /[A-Z]/.test(slug)
      ? undefined
      : {
          query: slug,
          freshness: {
            of: 'directory',
            state: () => site.directory.bots.stateOf(site.directory.ordinalOf(slug)),
          },
          make: () => ({
            body: badge(site.directory.bots.bot(site.directory.ordinalOf(slug))),
            contentType: 'image/svg+xml',
            headers: fileHeaders({ isShared: true }),
          }),
        },
};

/** The picture that previews of its link show: the plain one of all pages, if its own can't be drawn. */
export const botImage: ResourceRoute<Site> = {
  path: '/bots/:slug/og.png',
  find: (site, { params: { slug = '' } }) => {
    if (/[A-Z]/.test(slug)) return undefined;
    const { directory, pictures, look, frame } = site;
    const { integrationName } = frame;
    const svg = (): string =>
      botPicture({ bot: directory.bots.bot(directory.ordinalOf(slug)), integrationName, ...look });
    return {
      query: slug,
      freshness: {
        of: 'resource',
        renew: async () => {
          await directory.fresh().catch((error: unknown) => {
            throw listFailure(error);
          });
          await pictures.draw(svg());
        },
        // Installs change nothing on it.
        state: () => {
          const own = svg();
          const version = hashOf([own]);
          return { version: pictures.drawn(own) === undefined ? `${version}.plain` : version, changedAtMs: undefined };
        },
      },
      make: () => ({
        body: pictures.drawn(svg()) ?? site.files.find(({ name }) => name === 'og.png')?.body ?? '',
        contentType: 'image/png',
        headers: fileHeaders({ isShared: true }),
      }),
    };
  },
};

type FormOfBot = {
  readonly name: BotForm;
  /** The id of the note that says that it is done. */
  readonly note: string;
  readonly act: (typed: Typed, context: FormContext) => Promise<unknown>;
  /** The field that a failure is about, by the failure's code. */
  readonly about?: Readonly<Record<string, string>>;
};

/** Acts and redirects to the bot, or shows its page again with the errors. Failures: bot_not_found, bot_gone. */
const formOfBot = (site: Site, { name, note, act, about = {} }: FormOfBot) =>
  takeForm(
    async (typed, context) => {
      await act(typed, context);
      return { redirectTo: `${botPath(context.slug)}#${note}` };
    },
    async (refusal, { slug }) => {
      const { failure } = refusal;
      await site.directory.fresh().catch(() => undefined);
      // Without the bot there is no page to show the form on.
      if (site.directory.bySlug(slug) === undefined) throw failure;
      const field = about[failure.code];
      const form = field === undefined ? refusal.form : refusedField(refusal, field);
      const template = await readingOf(site, slug);
      return botView(site, linkedFrom(site, slug), { template, refused: { name, form } });
    },
  );

/** Sends a report. */
export const reportForm = (site: Site, { reportBot }: Pick<BoundOperations, 'reportBot'>) =>
  formOfBot(site, {
    name: 'reports',
    note: 'reported',
    act: (typed, context) =>
      reportBot.take(filled({ reason: fieldOf(typed, 'reason'), text: fieldOf(typed, 'text') }), context),
  });

/** Adds integrations. */
export const integrationsForm = (site: Site, { addIntegrations }: Pick<BoundOperations, 'addIntegrations'>) =>
  formOfBot(site, {
    name: 'integrations',
    note: 'added',
    act: (typed, context) => addIntegrations.take(filled({ integrations: namesOf(typed, 'integrations') }), context),
    about: { too_many_integrations: '/integrations' },
  });

/** Reads the template again. */
export const refreshForm = (site: Site, { refreshBot }: Pick<BoundOperations, 'refreshBot'>) =>
  formOfBot(site, { name: 'refresh', note: 'refreshed', act: (_typed, context) => refreshBot.take({}, context) });

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
    redirect(res, frame.installOrigin + link.replace(/^https:\/\/[^/]+/, ''));
  };

const countInstall = async (bots: BotStore, id: BotId, address: string): Promise<void> => {
  await bots.countInstall(id, await bots.visitorOf(networkOf(address)));
};

const botView = (
  site: Site,
  linked: Linked,
  { template, refused }: { readonly template: LastReading | undefined; readonly refused?: BotForms['refused'] },
): Sendable => {
  const { bots, posts } = site.directory;
  const botsAt = (ordinals: readonly number[]): Bot[] => ordinals.map((ordinal) => bots.bot(ordinal));
  const { suggestions } = linked;
  const { updatedAtMs, templateId } = bots.index.unshown(linked.own);
  const bot = bots.bot(linked.own);
  return sendablePage(
    site,
    {
      page: 'bot',
      bot,
      posts: linked.posts.map((ordinal) => posts.segments.parsed(ordinal) as Post),
      updatedAt: timestamp(updatedAtMs),
      templateUrl: `https://${site.frame.templateHost}/bot/${templateId}`,
      related: botsAt(linked.related),
      others: botsAt(linked.others),
      namesakes: botsAt(linked.namesakes),
      template: shownOf(template ?? { atMs: Date.parse(bot.created_at), found: 'found' }),
      forms: site.frame.submissions !== 'closed' ? { reasons: reportReasons, suggestions, refused } : undefined,
    },
    site.frame.installOrigin,
  );
};

const stateOf = ({ directory: { bots, posts } }: Site, linked: Linked): State => {
  const { own, related, others, namesakes, suggestions, names } = linked;
  const states = [
    ...[own, ...related, ...others, ...namesakes].map((one) => bots.stateOf(one)),
    ...linked.posts.map((one) => posts.stateOf(one)),
  ];
  return {
    version: [...states.map(({ version }) => version), hashOf([...suggestions, ...names])].join('.'),
    changedAtMs: Math.max(...states.map(({ changedAtMs }) => changedAtMs)),
  };
};

/** Adds a reading to a state: the page says the day of the last one, and what it found. */
const withTemplate = (state: State, template: LastReading | undefined): State =>
  template === undefined
    ? state
    : {
        version: `${state.version}.${Object.values(shownOf(template)).join('.')}`,
        changedAtMs: Math.max(state.changedAtMs ?? 0, template.atMs),
      };

const shownOf = ({ atMs, found }: LastReading) => ({ checkedOn: timestamp(atMs).slice(0, 10), found });

const hashOf = (texts: readonly string[]): string =>
  createHash('sha256').update(texts.join(',')).digest('base64url').slice(0, 8);
