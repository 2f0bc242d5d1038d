/** The command line: reads its arguments, calls the directory, prints. What each command does is in commands.ts. */
import { createClient } from '@bot-directory/sdk';
import { follow, list, submit } from './commands.ts';

const [command, ...words] = process.argv.slice(2);
const directory = createClient({ baseUrl: process.env.DIRECTORY_URL ?? 'http://localhost:3000' });
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());

switch (command) {
  case 'list':
    await list(directory, words.join(' '));
    break;
  case 'submit': {
    const [link = '', ...categories] = words;
    process.exitCode = await submit(directory, link, categories);
    break;
  }
  case 'follow':
    await follow(directory, 'last-event.txt', interrupted.signal);
    break;
  default:
    console.error('usage: list [words] | submit <link> [categories] | follow');
    process.exitCode = 2;
}
