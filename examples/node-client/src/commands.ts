/** The three commands. Each does what a program of your own would do with the SDK. */
import { readFile, writeFile } from 'node:fs/promises';
import { AbortedError, type Client } from '@bot-directory/sdk';

/** Prints every bot that matches, requested page by page. */
export const list = async (directory: Client, words: string): Promise<void> => {
  for await (const bot of directory.bots.iterate({ q: words })) console.log(`${bot.slug}\t${bot.name}\t${bot.url}`);
};

/** Publishes a template's bot. Returns the exit code; a bot that already exists is not a failure. */
export const submit = async (directory: Client, link: string, categories: string[]): Promise<number> => {
  const outcome = await directory.bots.submit({ link, categories }).safe();
  if (outcome.ok) {
    console.log(`published at ${outcome.data.url}`);
    return 0;
  }
  switch (outcome.status) {
    case 409:
      console.log(`already listed at ${outcome.error.problem.url}`);
      return 0;
    case 400:
      for (const { pointer, detail } of outcome.error.problem.errors ?? []) console.error(`${pointer}: ${detail}`);
      return 1;
    default:
      console.error(outcome.error.message);
      return 1;
  }
};

/** Prints bots as they are published, beginning after the event whose id is in `file`, until the signal. */
export const follow = async (directory: Client, file: string, signal: AbortSignal): Promise<void> => {
  const after = await readFile(file, 'utf8').catch(() => undefined);
  try {
    for await (const event of directory.events.stream({ after }, { signal })) {
      if (event.type === 'bot.created') console.log(`${event.created_at}\t${event.data.name}\t${event.data.url}`);
      // Saved after the event was handled: a crash in between repeats it, but never loses it.
      await writeFile(file, event.id);
    }
  } catch (error) {
    if (!(error instanceof AbortedError)) throw error;
  }
};
