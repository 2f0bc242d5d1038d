/** The operator's commands and their options. `commands.ts` has what each does; this file only declares them. */
import { deliveryFailures } from '@bot-directory/contract';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isCalendarDay, parseDuration } from '../base/time.ts';
import { parseAuthor } from '../domain/links.ts';
import { blockKinds } from '../domain/block-list.ts';
import { searchPhrase } from '../domain/search.ts';
import { botStates } from '../domain/bot.ts';
import { postStates } from '../store/posts/post-store.ts';
import type { Commands } from './commands.ts';
import type { Time } from './terminal.ts';

/** Makes the action of a command: it opens what the command needs, runs it, and closes everything. */
export type CarryOut = <Args extends unknown[]>(
  command: (commands: Commands) => (...args: Args) => Promise<void>,
) => (...args: Args) => Promise<void>;

/** How commands run. `verify` verifies a file, for which no store is opened. */
type Runs = { readonly carryOut: CarryOut; readonly verify: (file: string) => Promise<void> };

/** Where the program's own texts go: help, and usage errors. */
export type Speaker = { readonly out: (text: string) => void; readonly error: (text: string) => void };

/** Makes the program. It throws a CommanderError instead of ending the process. */
export const createProgram = ({ carryOut, verify }: Runs, { out, error }: Speaker): Command => {
  const program = new Command('bot-directory-admin')
    .description('Runs a Public Bot Directory: moderation, deliveries, backup. Needs REDIS_URL, as the service does.')
    .option('--json', 'print JSON')
    .option('--yes', 'ask nothing')
    .option('--by <name>', 'who does it, for the audit log (default: the user of the system)', nameOption)
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({ writeOut: (text) => out(text.trimEnd()), writeErr: (text) => error(text.trimEnd()) });
  addModeration(program, carryOut);
  addPosts(program, carryOut);
  addSwitches(program, carryOut);
  addBackup(program, carryOut, verify);
  return program;
};

const addModeration = (program: Command, carryOut: CarryOut): void => {
  const reports = program.command('reports').description('list or close reports of bots and posts');
  listed(
    selecting(reports.command('list', { isDefault: true }).description('list reports, oldest first, after a summary')),
  ).action(carryOut((commands) => commands.listReports));
  selecting(reports.command('close').description('close reports')).action(
    carryOut((commands) => commands.closeReports),
  );

  listed(
    narrowed(
      program
        .command('bots')
        .description('list bots, newest first, with those that are not public; one that is named is shown whole'),
    ),
  )
    .addOption(new Option('--state <state...>', 'only bots in these states').choices(botStates))
    .option('--missing', 'only bots whose template the provider does not have')
    .action(carryOut((commands) => commands.listBots));
  program
    .command('edit')
    .description('correct a bot, listed or not; an empty value removes what is there')
    .argument('<slug>')
    .option('--category <name>', 'its category; may be repeated, and replaces all that it has', collected)
    .option('--author <handle>', 'its author')
    .option('--source-url <url>', 'its announcement')
    .option('--integration <change>', '+name adds an integration, -name removes it; may be repeated', collected)
    .action(carryOut((commands) => commands.edit));
  narrowed(program.command('hide').description('hide bots for now; their pages are 404'))
    .option('--reason <text>', 'for the audit log', '')
    .action(carryOut((commands) => commands.hide));
  narrowed(program.command('remove').description('remove bots; their pages are 410 and say why'))
    .requiredOption('--reason <text>', 'the reason, which is public')
    .action(carryOut((commands) => commands.remove));
  narrowed(program.command('restore').description('list bots again, or approve those that wait for approval'))
    .option('--reason <text>', 'for the audit log', '')
    .action(carryOut((commands) => commands.restore));

  addBlocks(program, carryOut);
  listed(program.command('audit').description('list what operators did, newest first')).action(
    carryOut((commands) => commands.audit),
  );
};

/** Blocks and their ends. */
const addBlocks = (program: Command, carryOut: CarryOut): void => {
  const kind = `one of ${blockKinds.join(', ')}`;
  program
    .command('block')
    .description(
      "block submissions of a template, bots and posts by an author, words in a name, description or post's handle, or " +
        'webhooks of a host, or all writes of a client for a time',
    )
    .argument('[kind]', `${kind}; without it, the current blocks are listed`)
    .argument(
      '[value]',
      'a template link or id, a handle, words, the last of which may end in *, a host or network, or the mark of a client',
    )
    .option('--reason <text>', 'for the audit log', '')
    .option('--for <time>', 'how long a client is blocked', durationOption, 86_400_000)
    .action(carryOut((commands) => commands.block));
  program
    .command('unblock')
    .description('remove a block')
    .argument('<kind>', kind)
    .argument('<value>')
    .action(carryOut((commands) => commands.unblock));
};

const addPosts = (program: Command, carryOut: CarryOut): void => {
  program
    .command('erase')
    .description('erase a person: from the bots that name them, and the posts of their account')
    .command('author')
    .argument('<handle>')
    .action(carryOut((commands) => commands.eraseAuthor));
  const posts = program.command('posts').description('list showcase posts, hide or remove them, or list them again');
  const byAuthor = (command: Command): Command =>
    command.option('--author <handle>', 'only posts by this author; may be repeated', authorOption).option(...byClient);
  listed(
    byAuthor(posts.command('list', { isDefault: true }).description('list posts, newest first, also those not public')),
  )
    .addOption(new Option('--state <state...>', 'only posts in these states').choices(postStates))
    .action(carryOut((commands) => commands.listPosts));
  const changing = (name: string, description: string): Command =>
    byAuthor(posts.command(name).description(description))
      .argument('[post...]', 'ids or URLs')
      .option('--reason <text>', 'for the audit log', '');
  changing('hide', 'hide posts for now').action(carryOut((commands) => commands.hidePosts));
  changing('remove', 'remove posts; their statuses stay taken').action(carryOut((commands) => commands.removePosts));
  changing('restore', 'list posts again, where they were').action(carryOut((commands) => commands.restorePosts));
};

const addSwitches = (program: Command, carryOut: CarryOut): void => {
  program
    .command('submissions')
    .description('open or close submissions of new bots and posts')
    .argument('<switch>', 'on or off', oneOf('on', 'off'))
    .option('--reason <text>', 'for the audit log', '')
    .action(carryOut((commands) => commands.submissions));
  program
    .command('deliveries')
    .description('pause all webhook deliveries, of every process, or resume them; nothing is lost')
    .argument('<switch>', 'pause or resume', oneOf('pause', 'resume'))
    .option('--reason <text>', 'for the audit log', '')
    .action(carryOut((commands) => commands.deliveries));
  const webhooks = program.command('webhooks').description('list or remove webhooks, or resume stopped ones');
  listed(
    webhooks
      .command('list', { isDefault: true })
      .description('list webhooks and their deliveries: ids, hosts and states, never URLs'),
  )
    .addOption(new Option('--state <state>', 'only webhooks in this state').choices(['active', 'waiting', 'stopped']))
    .option('--host <host>', 'only those of this host and of names below it, or of an address or network')
    .option(...byClient)
    .action(carryOut((commands) => commands.listWebhooks));
  webhooks
    .command('remove')
    .description('remove webhooks, by their ids or by their host')
    .argument('[id...]')
    .option('--host <host>', 'those of this host and of names below it, or of an address or network')
    .option(...byClient)
    .action(carryOut((commands) => commands.removeWebhooks));
  webhooks
    .command('resume')
    .description('resume stopped webhooks where they stopped, after a failure that was ours')
    .requiredOption('--stopped-since <time>', 'only those that stopped since: ISO 8601, or a duration', timeOption)
    .addOption(new Option('--failure <reason>', 'only those whose last failure was this').choices(deliveryFailures))
    .action(carryOut((commands) => commands.resumeWebhooks));
};

const addBackup = (program: Command, carryOut: CarryOut, verify: (file: string) => Promise<void>): void => {
  const backup = program.command('backup').description('make a backup with a dated name, or verify one');
  backup
    .command('create', { isDefault: true })
    .description('write the whole directory into a folder, verify what was written, and delete old backups')
    .argument('<folder>')
    .option('--with-keys', 'include the signing key and the secrets of webhooks: protect the file like a password')
    .option('--keep <number>', 'how many backups to keep in the folder', wholeNumber, 14)
    .action(carryOut((commands) => commands.backup));
  backup
    .command('verify')
    .description('read a backup as an import would, and count its records; needs no store')
    .argument('<file>', 'the file, or - for standard input')
    .action(verify);
  program
    .command('export')
    .description('write the whole directory as NDJSON')
    .option('--file <path>', 'the file to write (default: standard output)')
    .option('--with-keys', 'include the signing key and the secrets of webhooks: protect the file like a password')
    .action(carryOut((commands) => commands.export));
  program
    .command('import')
    .description('read such a file into an empty store, and leave deliveries paused; stop the servers first')
    .argument('<path>', 'the file, or - for standard input')
    .option('--resume', 'leave deliveries as they were: only if this store replaces the one of the backup')
    .option('--with-keys', 'take the signing key and the secrets of webhooks too, if the file has them')
    .action(carryOut((commands) => commands.import));
  program
    .command('check')
    .description('check the data for what an operator can act on')
    .action(carryOut((commands) => commands.check));
  program
    .command('accept-empty')
    .description('accept that the directory is empty, or smaller than it was: servers then serve it as it is')
    .action(carryOut((commands) => commands.acceptEmpty));
  program
    .command('categories')
    .description('list categories that are configured or in use, with their bots')
    .action(carryOut((commands) => commands.listCategories));
  const settings = program.command('settings').description('settings that must be equal in all processes');
  settings
    .command('list', { isDefault: true })
    .description('list them, as the last process that started had them')
    .action(carryOut((commands) => commands.listSettings));
  settings
    .command('forget')
    .description('forget them, to change the address or the keys on purpose')
    .action(carryOut((commands) => commands.forgetSettings));
  program
    .command('rebuild')
    .description('rebuild all derived data')
    .action(carryOut((commands) => commands.rebuild));
};

const byClient = ['--client <mark...>', 'only those by the clients whose marks begin so'] as const;

const listed = (command: Command): Command =>
  command
    .option('--limit <number>', 'maximum number of lines', wholeNumber, 50)
    .option('--all', 'every line, however many there are');

const narrowed = (command: Command): Command =>
  command
    .argument('[slug...]')
    .option('--author <handle>', 'only bots by this author; may be repeated', authorOption)
    .option('--since <time>', 'only bots added after this time: ISO 8601, or a duration such as 10m', timeOption)
    .option('--until <time>', 'only bots added before this time', timeOption)
    .option(...byClient)
    .option('--category <name>', 'only bots in this category, whether or not it is configured')
    .option(
      '--words <words>',
      'only bots with these words in name or description, as block words matches them',
      wordsOption,
    );

const selecting = (command: Command): Command =>
  command
    .argument('[bot or post...]', 'only those of these: slugs of bots, ids or URLs of posts')
    .option('--reason <reason...>', 'only those with one of these reasons')
    .option(...byClient)
    .option('--since <time>', 'only those sent after this time: ISO 8601, or a duration such as 10m', timeOption)
    .option('--until <time>', 'only those sent before this time', timeOption);

const collected = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** Refuses what is not a handle (`wordsOption`: not a word), such as an empty shell variable: it narrows nothing. */
const authorOption = (text: string, before: readonly string[] = []): readonly string[] => {
  const author = parseAuthor(text);
  if (!author.ok) throw new InvalidArgumentError('Write a handle such as @ada.');
  return [...before, author.value];
};

const wordsOption = (text: string): string => {
  if (searchPhrase(text) === undefined) throw new InvalidArgumentError('Write a word.');
  return text;
};

const durationOption = (text: string): number => {
  const duration = parseDuration(text);
  if (!duration.ok) throw new InvalidArgumentError('Write a duration such as 10m or 24h.');
  return duration.value;
};

const nameOption = (text: string): string => {
  if (!/^[\w.@ -]{1,100}$/.test(text)) throw new InvalidArgumentError('Write a name such as ada.');
  return text;
};

const timeOption = (text: string): Time => {
  const duration = parseDuration(text);
  if (duration.ok) return { agoMs: duration.value };
  const atMs = Date.parse(text);
  if (!isCalendarDay(text) || Number.isNaN(atMs))
    throw new InvalidArgumentError('Write 2026-01-31T12:00:00Z, or a duration such as 10m or 2h.');
  return { atMs };
};

const wholeNumber = (text: string): number => {
  if (!/^\d{1,7}$/.test(text) || Number(text) === 0) throw new InvalidArgumentError('Write a whole number above 0.');
  return Number(text);
};

const oneOf =
  (...choices: string[]) =>
  (text: string): string => {
    if (!choices.includes(text)) throw new InvalidArgumentError(`Write ${choices.join(' or ')}.`);
    return text;
  };
