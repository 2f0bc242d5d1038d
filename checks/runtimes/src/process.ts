/** Node, Bun and Deno: each in a separate process that prints the result. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** Runs the bundle with `command`. */
export const inProcess = async (command: string[], bundle: string, input: unknown): Promise<unknown> => {
  const folder = mkdtempSync(join(tmpdir(), 'bot-directory-runtime-'));
  const [program = '', ...args] = command;
  const script = join(folder, 'main.mjs');
  writeFileSync(
    script,
    `import { run } from ${JSON.stringify(pathToFileURL(bundle).href)};\nconsole.log(JSON.stringify(await run(${JSON.stringify(input)})));\n`,
  );
  try {
    const env = { ...process.env, DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1', NODE_OPTIONS: '' };
    const { stdout } = await promisify(execFile)(program, [...args, script], { env, cwd: folder, timeout: 120_000 });
    return JSON.parse(stdout) as unknown;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
