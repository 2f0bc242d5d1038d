/** The operator's commands about reports: they list and close those that their options select. */
import type { BotId, PostId } from '../base/ids.ts';
import type { ReportStore, StoredReport } from '../store/reports/report-store.ts';
import type { OperatorPosts } from '../store/posts/post-store.ts';
import { idsOf } from './bot-commands.ts';
import type { BotDeps } from './edit-bot.ts';
import { isPostName, namedPosts } from './post-commands.ts';
import {
  CommandError,
  confirm,
  instant,
  isBy,
  markShown,
  showList,
  showResult,
  toMs,
  unasked,
  type Shown,
  type Time,
} from './terminal.ts';

type ReportDeps = BotDeps & { readonly reports: ReportStore; readonly posts: OperatorPosts };

/** Options that narrow a selection, as the command line passes them. All given ones must match. */
type Narrowing = {
  readonly reason?: readonly string[];
  readonly client?: readonly string[];
  readonly since?: Time;
  readonly until?: Time;
};

/** A report, and its bot's slug or its post's URL. */
type NamedReport = StoredReport & { readonly about: string };

export const reportCommands = (deps: ReportDeps) => {
  const { reports, operator, terminal } = deps;
  return {
    listReports: async (names: readonly string[], { limit, all, ...narrowing }: Narrowing & Shown): Promise<void> => {
      const selected = await select(deps, names, narrowing);
      if (!terminal.json && selected.length > 0) terminal.out(inShort(selected));
      const rows = selected.map(({ id, about, subject, reason, client, text, atMs }) => ({
        id,
        at: instant(atMs),
        ...(subject.startsWith('post_') ? { slug: null, post: about } : { slug: about }),
        reason,
        client: terminal.json ? client : markShown(client),
        text,
      }));
      await showList(terminal, rows, { limit, all, empty: 'No report matches.' });
    },

    closeReports: async (names: readonly string[], narrowing: Narrowing): Promise<void> => {
      if (names.length === 0 && Object.keys(narrowing).length === 0)
        throw new CommandError('Name bots or posts, or select reports by --reason, --client, --since or --until.');
      const selected = await select(deps, names, narrowing);
      if (selected.length > unasked) await confirm(terminal, `${inShort(selected)}\nClose them?`);
      const about = [...new Set(selected.map((report) => report.about))];
      const count = selected.length === 0 ? 0 : await reports.close(selected, about, operator);
      showResult(terminal, { closed: count }, `Closed ${count} reports.`);
    },
  };
};

const select = async (
  { bots, posts, reports, social, moderation }: ReportDeps,
  names: readonly string[],
  { reason, client, since, until }: Narrowing,
): Promise<readonly NamedReport[]> => {
  const ofBots = await idsOf(
    bots,
    names.filter((name) => !isPostName(name)),
  );
  const ofPosts = await namedPosts(posts, social, names.filter(isPostName));
  const subjects = new Set<BotId | PostId>([...ofBots.values(), ...ofPosts.map(({ id }) => id)]);
  const nowMs = await moderation.nowMs();
  const sinceMs = since === undefined ? -Infinity : toMs(since, nowMs);
  const untilMs = until === undefined ? Infinity : toMs(until, nowMs);
  const found = (await reports.list()).filter(
    (report) =>
      (names.length === 0 || subjects.has(report.subject)) &&
      (reason === undefined || reason.includes(report.reason)) &&
      isBy(client, report.client) &&
      report.atMs >= sinceMs &&
      report.atMs <= untilMs,
  );
  const named = new Map<string, Promise<string>>();
  const nameOf = (subject: BotId | PostId): Promise<string> => {
    const known = named.get(subject) ?? readName({ bots, posts }, subject);
    named.set(subject, known);
    return known;
  };
  return Promise.all(found.map(async (report) => ({ ...report, about: await nameOf(report.subject) })));
};

const readName = async (
  { bots, posts }: Pick<ReportDeps, 'bots' | 'posts'>,
  subject: BotId | PostId,
): Promise<string> => {
  if (subject.startsWith('post_')) return (await posts.read(subject as PostId))?.url ?? subject;
  return (await bots.read(subject as BotId))?.slug ?? subject;
};

/** How many of each kind a summary names. */
const mostNamed = 5;

/** What there is: `212 reports: 180 spam, … · about: … · by: …`. */
const inShort = (reports: readonly NamedReport[]): string => {
  const counted = (of: (report: NamedReport) => string): string => {
    const counts = new Map<string, number>();
    for (const report of reports) counts.set(of(report), (counts.get(of(report)) ?? 0) + 1);
    const [...sorted] = [...counts].sort(([, one], [, other]) => other - one);
    const rest = sorted.length - mostNamed;
    const shown = sorted.slice(0, mostNamed).map(([name, count]) => `${count} ${name}`);
    return [...shown, ...(rest > 0 ? [`${rest} others`] : [])].join(', ');
  };
  return [
    `${reports.length} ${reports.length === 1 ? 'report' : 'reports'}: ${counted(({ reason }) => reason)}`,
    `about: ${counted(({ about }) => about)}`,
    `by client: ${counted(({ client }) => markShown(client) || 'unknown')}`,
  ].join('\n');
};
