/** Prefixed, time-sortable, URL-safe ids: a prefix and a ULID. */
import { randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime, incrementBase32, TIME_LEN, ulid } from 'ulid';
import type { Brand } from './parsed.ts';

export type BotId = Brand<string, 'BotId'>;
export type PostId = Brand<string, 'PostId'>;
export type ReportId = Brand<string, 'ReportId'>;
export type WebhookId = Brand<string, 'WebhookId'>;
export type EventId = Brand<string, 'EventId'>;
export type DeliveryId = Brand<string, 'DeliveryId'>;

/** Makes ids. Those of one process sort in the order in which they were made. */
export type Ids = ReturnType<typeof createIds>;

/** Makes ids whose time part comes from `clock`. */
export const createIds = (clock: () => number) => {
  let lastMs = -1;
  let last = '';
  const next = (prefix: string): string => {
    const nowMs = clock();
    // The library's monotonic factory encodes the time of each id: twice the work, with dozens of ids in a millisecond.
    last = nowMs > lastMs ? ulid(nowMs, random) : incrementBase32(last);
    lastMs = Math.max(lastMs, nowMs);
    return `${prefix}_${last}`;
  };
  return {
    bot: () => next('bot') as BotId,
    post: () => next('post') as PostId,
    report: () => next('rep') as ReportId,
    webhook: () => next('wh') as WebhookId,
    event: () => next('evt') as EventId,
    delivery: () => next('dlv') as DeliveryId,
  };
};

/** When an event id was made; `undefined` if it is not an event id. */
export const eventIdAtMs = (id: string): number | undefined => {
  try {
    return decodeTime(id.slice('evt_'.length));
  } catch {
    return undefined;
  }
};

/** Returns the lower bound of event ids of this time or later. */
export const firstEventIdAt = (atMs: number): string => `evt_${encodeTime(Math.max(0, atMs), TIME_LEN)}`;

/** Random numbers from 0 to 1, a page at a time: a system call for each would take longer than the rest of an id. */
const page = new Uint8Array(4_096);
let taken = page.length;
const random = (): number => {
  if (taken === page.length) {
    randomFillSync(page);
    taken = 0;
  }
  return (page[taken++] ?? 0) / 256;
};
