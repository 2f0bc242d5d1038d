/** The servers: the directory, the limit, the limit once more to show the noise, and the peers. Each is a process. */
import { startChild, type Child } from '../support/child.ts';
import type { BenchServer } from '../support/server.ts';
import type { StaticCalls } from './bare.ts';
import type { CheckedCalls } from './checked.ts';
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

const startRendered = async (server: BenchServer, children: Child<never>[]): Promise<Contender> => {
  const child = startChild<RenderedCalls>(new URL('./rendered.ts', import.meta.url));
  children.push(child);
  return {
    name: 'rendered each time',
    port: await child.call('start', server.baseUrl),
    rounds: 3,
  };
};

const startChecked = async ({ redisUrl }: BenchServer, children: Child<never>[]): Promise<Contender> => {
  const child = startChild<CheckedCalls>(new URL('./checked.ts', import.meta.url));
  children.push(child);
  return {
    name: 'bare, checked',
    port: await child.call('start', { redisUrl }),
    prepare: (answer) => child.call('prepare', answer),
  };
};

/** Starts all but the directory. */
export const startContenders = async (server: BenchServer) => {
  const children: Child<never>[] = [];
  const startStatic = async (name: string, file: URL): Promise<Contender> => {
    const child = startChild<StaticCalls>(file);
    children.push(child);
    return {
      name,
      port: await child.call('start', undefined),
      prepare: (answer) => child.call('prepare', answer),
    };
  };
  const bareFile = new URL('./bare.ts', import.meta.url);
  const child = startChild<TsRestCalls>(new URL('./ts-rest.ts', import.meta.url));
  children.push(child);
  const port = await child.call('start', { redisUrl: server.redisUrl, baseUrl: server.baseUrl });
  // It differs so much from the others that few rounds are enough.
  const tsRest: Contender = { name: 'ts-rest + Redis', port, rounds: 2 };
  const directory: Contender = {
    name: 'directory',
    port: server.port,
  };
  return {
    bare: await startStatic('bare', bareFile),
    /** The limit of what depends on the store. */
    checked: await startChecked(server, children),
    directory,
    /** The noise of the measurement: this one should be 1. */
    again: await startStatic('bare again', bareFile),
    fastify: await startStatic('fastify', new URL('./fastify.ts', import.meta.url)),
    hono: await startStatic('hono', new URL('./hono.ts', import.meta.url)),
    tsRest,
    /** The home page, rendered for each request. */
    rendered: await startRendered(server, children),
    stop: async (): Promise<void> => {
      await Promise.all(children.map((child) => child.stop()));
    },
  };
};
