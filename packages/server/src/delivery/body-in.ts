/** Events in the formats of webhooks: each is made once in each format, however many webhooks get it. */
import type { Bot, DirectoryEvent, WebhookFormat } from '@bot-directory/contract';
import { BoundedCache } from '../base/bounded-cache.ts';
import { formatted } from '../domain/format.ts';
import type { LoggedEvent } from '../store/recent-events.ts';

/** The body of an event in a format. */
export type BodyIn = (format: WebhookFormat, event: LoggedEvent) => Buffer;

/** About a thousand bodies. */
const keptBytes = 2 * 1_024 * 1_024;

/** Makes it. */
export const createBodyIn = (baseUrl: string): BodyIn => {
  const kept = new BoundedCache<Buffer>({ max: keptBytes, sizeOf: (_key, body) => body.length });
  return (format, { id, body, about }) => {
    const key = `${id} ${format}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const envelope = JSON.parse(body.toString()) as DirectoryEvent;
    const bot = about === undefined ? undefined : (JSON.parse(about) as Bot);
    const made = Buffer.from(JSON.stringify(formatted(format, { envelope, about: bot, baseUrl })));
    kept.set(key, made);
    return made;
  };
};
