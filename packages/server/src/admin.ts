/**
 * The operator's command line: `npx bot-directory-admin`. It needs the service's REDIS_URL, and BASE_URL to restore.
 */
import { runAdmin } from './admin/run-admin.ts';

process.exitCode = await runAdmin(process.argv.slice(2), {
  out: (text) => console.log(text),
  error: (text) => console.error(text),
  progress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${text}`);
  },
});
