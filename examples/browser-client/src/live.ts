/** New bots as they are published, for as long as the page is open. */
import type { Client } from '@bot-directory/sdk';
import { say } from './view.ts';

/** Shows each new bot, then calls `changed`. */
export const showNews = async (directory: Client, changed: () => void): Promise<void> => {
  try {
    for await (const { type, data } of directory.events.stream()) {
      say('news', type === 'bot.created' ? `New: ${data.name}` : '');
      changed();
    }
  } catch {
    // The list works without it: a directory without a store has no events.
    say('news', '');
  }
};
