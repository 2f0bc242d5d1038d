/** The servers: the directory, the limits, one once more to show the noise, and the peers. Each is a process. */
import { startChild, type Calls, type Child } from '../support/child.ts';
import type { BenchServer } from '../support/server.ts';
import type { StaticCalls } from './bare.ts';
import type { BuiltCalls } from './built.ts';
import type { Prepared } from './prepared.ts';
import type { RenderedCalls } from './rendered.ts';
import type { TsRestCalls } from './ts-rest.ts';

/** `prepare`: gives a contender that only writes what to write. `rounds`: the most that it takes part in. */
export type Contender = {
  readonly name: string;
  readonly port: number;
  readonly rounds?: number;
  readonly prepare?: (answer: Prepared) => Promise<unknown>;
};

export type Contenders = Awaited<ReturnType<typeof startContenders>>;

/** Starts all but the directory. */
export const startContenders = async ({ redisUrl, baseUrl, port }: BenchServer) => {
  const children: Child<never>[] = [];
  const start = <C extends Calls>(file: string): Child<C> => {
    const child = startChild<C>(new URL(`./${file}.ts`, import.meta.url));
    children.push(child);
    return child;
  };
  const startStatic = async (file: string, name: string, checks: string | undefined): Promise<Contender> => {
    const child = start<StaticCalls>(file);
    return {
      name,
      port: await child.call('start', { redisUrl: checks }),
      prepare: (answer) => child.call('prepare', answer),
    };
  };
  const peers: Contender[] = [];
  for (const file of ['fastify', 'hono', 'express'])
    peers.push(await startStatic(file, file, undefined), await startStatic(file, `${file}, checked`, redisUrl));
  const built: Contender[] = [];
  for (const file of ['fastify', 'hono'])
    built.push({
      name: `${file}, built`,
      port: await start<BuiltCalls>(`${file}-built`).call('start', { redisUrl, baseUrl }),
      rounds: 3,
    });
  const directory: Contender = { name: 'directory', port };
  /** It differs so much from the others that few rounds are enough. */
  const tsRest: Contender = {
    name: 'ts-rest + Redis',
    port: await start<TsRestCalls>('ts-rest').call('start', { redisUrl, baseUrl }),
    rounds: 2,
  };
  /** The home page, rendered for each request. */
  const rendered: Contender = {
    name: 'rendered each time',
    port: await start<RenderedCalls>('rendered').call('start', baseUrl),
    rounds: 3,
  };
  return {
    bare: await startStatic('bare', 'bare', undefined),
    /** The limit of what depends on the store. */
    checked: await startStatic('bare', 'bare, checked', redisUrl),
    directory,
    /** The noise of the measurement: this one should be 1. */
    again: await startStatic('bare', 'bare again', undefined),
    /** Each writes prepared bytes: once without a check, and once after the check that a fresh response needs. */
    peers,
    /** Each does the directory's work with its own plugins. */
    built,
    tsRest,
    rendered,
    stop: async (): Promise<void> => {
      await Promise.all(children.map((child) => child.stop()));
    },
  };
};
