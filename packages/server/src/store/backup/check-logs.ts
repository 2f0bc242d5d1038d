/** Checks the event log and the reports, with the indexes that find them. */
import type { BotId, ReportId } from '../../base/ids.ts';
import { keys } from '../keys.ts';
import type { Store } from '../redis.ts';
import { scanByScore, scanStream } from '../scan.ts';
import { derivable, hashAt, ofEach, wrong, type Finding } from './findings.ts';

/** Checks that every event is found by its id, under a number that has been given. */
export async function* checkEvents(store: Store): AsyncGenerator<Finding> {
  const last = Number((await store.call((redis) => redis.hget(keys.state, 'events'))) ?? 0);
  yield* ofEach(scanStream(store, keys.events), async ([entry, fields]) => {
    const [number, id = ''] = [Number(entry.split('-')[0]), fields[fields.indexOf('id') + 1]];
    const known = await store.call((redis) => redis.zscore(keys.eventIds, id));
    return [
      ...(number > last ? [wrong(`event ${id} has a number above the last`)] : []),
      ...(known === null ? [derivable(`event ${id} is not found by its id`)] : []),
      ...(known !== null && Number(known) !== number ? [derivable(`event ${id} is found under another number`)] : []),
      ...(idOf(fields) === id ? [] : [wrong(`event ${id} has the envelope of another`)]),
    ];
  });
  for await (const page of scanByScore(store, keys.eventIds))
    for (const { member, score } of page)
      if (score > last) yield wrong(`event ${member} is known by a number above the last`);
  yield* ofEach(scanByScore(store, keys.withheld), async ({ member, score }) => {
    const number = await store.call((redis) => redis.zscore(keys.eventIds, member));
    return number !== null && Number(number) === score
      ? []
      : [wrong(`event ${member} is withheld under another number than its own`)];
  });
}

/** The id in an event's envelope. */
const idOf = (fields: readonly string[]): unknown => {
  try {
    return (JSON.parse(fields[fields.indexOf('body') + 1] ?? '') as { id?: unknown }).id;
  } catch {
    return undefined;
  }
};

/** Checks that reports are there, and are found by their bots. They are few, and two may have the same time. */
export async function* checkReports(store: Store): AsyncGenerator<Finding> {
  const ids = (await store.call((redis) => redis.zrange(keys.reports, '0', '-1'))) as ReportId[];
  for (const id of ids) {
    const report = await hashAt(store, keys.report(id));
    if (report.bot === undefined) {
      yield wrong(`report ${id} is listed, but its hash is missing`);
      continue;
    }
    const bot = report.bot as BotId;
    const found = await store.call((redis) => redis.zscore(keys.reportsOf(bot), id));
    const { slug } = await hashAt(store, keys.bot(bot));
    if (found === null) yield derivable(`report ${id} is not found by its bot`);
    if (slug === undefined) yield wrong(`report ${id} is of a bot that is not there`);
  }
}
