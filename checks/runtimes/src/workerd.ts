/** workerd, the Workers runtime, without Node compatibility: a server on a loopback port that returns the result. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "network", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "main.js", esModule = embed "main.js"), (name = "bundle.js", esModule = embed "bundle.js")],
  compatibilityDate = "2026-11-01",
  globalOutbound = "network",
);
`;

const worker = `import { run } from 'bundle.js';
export default { fetch: async (request) => Response.json(await run(await request.json())) };
`;

/** Runs the bundle as a worker. */
export const inWorkerd = async (program: string, bundle: string, input: unknown): Promise<unknown> => {
  const folder = mkdtempSync(join(tmpdir(), 'bot-directory-workerd-'));
  writeFileSync(join(folder, 'config.capnp'), config);
  writeFileSync(join(folder, 'main.js'), worker);
  copyFileSync(bundle, join(folder, 'bundle.js'));
  const child = spawn(program, ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const ended = once(child, 'exit');
  try {
    const port = await Promise.race([
      listeningPort(child.stdio[3]),
      ended.then(() => Promise.reject(new Error('workerd ended'))),
    ]);
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(60_000),
    });
    if (!response.ok) throw new Error(`workerd answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as unknown;
  } finally {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
};

const listeningPort = async (control: unknown): Promise<number> => {
  if (!(control instanceof Readable)) throw new TypeError('workerd has no control pipe');
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { event: string; port: number };
    if (event === 'listen') return port;
  }
  throw new Error('workerd closed its control pipe');
};
