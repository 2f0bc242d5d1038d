/**
 * The operator's command line: `bot-directory-admin`. It needs the service's REDIS_URL, and BASE_URL to restore.
 */
import { runAdmin } from './admin/run-admin.ts';

/** `console.log` would not report a full disk or a closed pipe. */
const out = (text: string): void => {
  process.stdout.write(`${text}\n`, (error) => {
    if (error) fail(error);
  });
};
const fail = ({ message }: Error): void => {
  console.error(message);
  process.exitCode = 1;
};
process.stdout.on('error', () => undefined);

const code = await runAdmin(process.argv.slice(2), {
  out,
  error: (text) => console.error(text),
  progress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${text}`);
  },
});
if (code !== 0) process.exitCode = code;
