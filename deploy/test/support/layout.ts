/** The ways to run the directory, and what all of them can do, each by the manual's words. */
import { request as requestPlain } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Needs } from '@bot-directory/testing/needs';
import { root } from './files.ts';
import { block } from './manual.ts';
import type { Machine } from './machine.ts';

/** A directory that runs. */
export type Layout = {
  readonly machine: Machine;
  /** Where the world reaches it, through its proxy. */
  readonly url: string;
  /** Runs commands in its operator's shell, which has `bot-directory-admin`. Returns what they printed. */
  readonly follow: (commands: string) => Promise<string>;
  /** Makes a backup. */
  readonly backUp: () => Promise<unknown>;
  /** Empties its store, and imports the newest backup. */
  readonly restore: () => Promise<unknown>;
  /** Replaces all processes, as by a newer release. */
  readonly upgrade: () => Promise<unknown>;
  readonly stop: () => Promise<unknown>;
};

/** A way to run it. */
export type Way = {
  readonly name: string;
  /** What it takes of this machine. */
  readonly needs: Needs;
  readonly install: () => Promise<Layout>;
};

/** The settings of all that differ here: templates are those of the demo's provider, and clients write at will. */
export const ownSettings = { TEMPLATE_ORIGIN: 'http://127.0.0.1:4000', WRITE_RATE_LIMIT: '0' };

/** Starts the demo's provider on a machine. */
export const startProvider = (machine: Machine): Promise<string> =>
  machine.succeed(`systemd-run --quiet node ${root}/examples/template-provider/src/main.js 4000
    until curl -fsS http://127.0.0.1:4000/ >/dev/null 2>&1; do sleep 0.1; done`);

/** Starts Debian's Redis, and has it keep what it acknowledges, as the manual says. */
export const startDebiansRedis = (machine: Machine): Promise<string> =>
  machine.succeed(`systemctl start redis-server\n${block('export REDIS_ADMIN_URL=')}${block('aof_rewrite_')}`);

/** Asks the server of this address. It may have a certificate that nobody trusts. */
export const ask = (url: string, body?: object): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? request : requestPlain;
    const method = body === undefined ? 'GET' : 'POST';
    const options = {
      method,
      agent: false,
      rejectUnauthorized: false,
      headers: { 'Content-Type': 'application/json' },
    };
    send(url, options, (response) => {
      text(response).then((read) => resolve({ status: response.statusCode ?? 0, text: read }), reject);
    })
      .on('error', reject)
      .end(body === undefined ? '' : JSON.stringify(body));
  });

/** Returns the names of the bots that it lists, or nothing while it does not list any. */
export const namesAt = async (url: string): Promise<string[] | undefined> => {
  try {
    const { status, text: list } = await ask(`${url}/api/bots`);
    return status === 200 ? (JSON.parse(list) as { name: string }[]).map(({ name }) => name) : undefined;
  } catch {
    return undefined;
  }
};
