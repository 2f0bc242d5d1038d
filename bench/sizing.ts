/**
 * How many bytes of Redis one more of each thing takes. `npm run bench sizing` prints the table of docs/SCALING.md
 * and, with `-- --write`, puts it there, between its markers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTestRedis } from '@bot-directory/testing/redis';
import { createIds, type BotId } from '../packages/server/src/base/ids.ts';
import { createLog } from '../packages/server/src/base/log.ts';
import { parseWebhookUrl } from '../packages/server/src/domain/webhook-url.ts';
import { createBotStore } from '../packages/server/src/store/bots/bot-store.ts';
import { keys } from '../packages/server/src/store/keys.ts';
import { createModerationStore } from '../packages/server/src/store/moderation/moderation-store.ts';
import { createReportStore } from '../packages/server/src/store/reports/report-store.ts';
import { createPostStore } from '../packages/server/src/store/posts/post-store.ts';
import { openStore } from '../packages/server/src/redis/open-store.ts';
import { waitForStore } from '../packages/server/src/redis/redis.ts';
import { openDirectory } from './support/directory.ts';

/** Reports and the audit log keep no more than ten thousand. */
const count = Math.min(10_000, Number(process.argv[2]) || 5_000);
const atOnce = 100;
const redis = await startTestRedis();
const directory = openDirectory(redis.url);
const store = openStore([redis.url], createLog('silent'));
await waitForStore(store, 5_000);
const ids = createIds(Date.now);

const each = async (make: (i: number) => Promise<unknown>): Promise<void> => {
  for (let i = 0; i < count; i += atOnce) await Promise.all(Array.from({ length: atOnce }, (_, n) => make(i + n)));
};

/** Measures the bytes of Redis that one more of a kind takes. */
const costOf = async (make: () => Promise<unknown>): Promise<number> => {
  const before = await directory.usedMemory();
  await make();
  return Math.round((await directory.usedMemory()) / count - before / count);
};

const target = (i: number) => {
  const parsed = parseWebhookUrl(`https://hooks-${i}.example.com/a/path/of/some/length/${i}`, []);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};

await directory.publish();
const published = await costOf(() => each(() => directory.publish()));
const log = await costOf(() => directory.redis.del(keys.events, keys.eventIds));
const event = -log;
const bot = (await directory.redis.zrange(keys.bots, '0', '0'))[0] as BotId;
const bots = createBotStore(store);
const posts = createPostStore(store);
const reports = createReportStore(store);
const moderation = createModerationStore(store);
const post = (i: number) => ({ id: ids.post(), statusId: String(i), url: `https://x.com/someone/status/${i}` });
const text = 'It is the same as another one, and asks for money. '.repeat(4);
const operator = { name: 'ada', command: 'bot-directory-admin submissions off' };
const rows: readonly (readonly [string, number])[] = [
  ['a bot', published - event],
  ['an event', event],
  ['a webhook', await costOf(() => directory.register(Array.from({ length: count }, (_, i) => target(i))))],
  ['a post', await costOf(() => each((i) => posts.add(post(i), 0)))],
  [
    'a report, with 200 letters',
    // A bot keeps at most 100 reports, so each report is about another bot.
    await costOf(async () => {
      const all = (await directory.redis.zrange(keys.bots, '0', '-1')) as BotId[];
      await each((i) => reports.add({ id: ids.report(), subject: all[i] ?? bot, reason: 'spam', text }));
    }),
  ],
  [
    'a visitor who installed today',
    await costOf(() => each((i) => bots.countInstall(bot, `visitor-${i}-of-22-letters`))),
  ],
  ['a line of the audit log', await costOf(() => each((i) => moderation.setSubmissions(operator, i % 2 === 1, '')))],
];
const table = [
  '| one more | bytes of Redis |',
  '| --- | --- |',
  ...rows.map(([name, bytes]) => `| ${name} | ${bytes.toLocaleString('en')} |`),
].join('\n');
console.log(table);
await store.close();
await directory.close();
await redis.stop();

if (process.argv.includes('--write')) {
  const file = fileURLToPath(new URL('../docs/SCALING.md', import.meta.url));
  const [before, , after] = readFileSync(file, 'utf8').split(/<!-- sizing:(?:start|end) -->/);
  writeFileSync(file, `${before}<!-- sizing:start -->\n\n${table}\n\n<!-- sizing:end -->${after}`);
}
