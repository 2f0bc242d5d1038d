/** A process of its own for one part of a measurement: it is called by name, and ends with its parent. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { keepResponseShape, keepTickShape } from '../../packages/server/src/http/node-internals.ts';

/** What a child offers: one plain value in, one out. */
export type Calls = Readonly<Record<string, (input: never) => unknown>>;
type Request = { readonly id: number; readonly name: string; readonly input: unknown };
type Reply = { readonly id: number; readonly value?: unknown; readonly error?: string };
type Input<F> = F extends (input: infer I) => unknown ? I : never;
type Output<F> = F extends (...args: never) => infer O ? Awaited<O> : never;

/** A running child. */
export type Child<C extends Calls> = {
  readonly pid: number | undefined;
  call<N extends keyof C & string>(name: N, input: Input<C[N]>): Promise<Output<C[N]>>;
  stop(): Promise<void>;
};

/** Answers the parent's calls; a child's file calls it once. Every contender gets what makes the server's Node fast. */
export const answerCalls = (calls: Calls): void => {
  // tsx turns them on, and the first stack trace then reads those of all that is loaded: more than 100 MB.
  process.setSourceMapsEnabled(false);
  keepTickShape();
  keepResponseShape({ IncomingMessage, ServerResponse });
  process.on('message', ({ id, name, input }: Request) => {
    void Promise.resolve()
      .then(() => calls[name]?.(input as never))
      .then(
        (value) => process.send?.({ id, value } satisfies Reply),
        (error: unknown) =>
          process.send?.({
            id,
            error: error instanceof Error ? (error.stack ?? error.message) : String(error),
          } satisfies Reply),
      );
  });
  process.on('disconnect', () => process.exit());
};

/** Runs a file that ends in `answerCalls`. `env` replaces the whole environment but the PATH. */
export const startChild = <C extends Calls>(file: URL, env: Record<string, string> = {}): Child<C> => {
  const child = fork(fileURLToPath(file), { env: { PATH: process.env.PATH, ...env } });
  const waiting = new Map<number, (reply: Reply) => void>();
  let calls = 0;
  child.on('message', (reply: Reply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  child.on('exit', (code) => {
    for (const [id, settle] of waiting) settle({ id, error: `${file.pathname} ended with ${String(code)}` });
  });
  return {
    pid: child.pid,
    call: (name, input) =>
      new Promise((resolve, reject) => {
        const id = calls++;
        waiting.set(id, ({ value, error }) => {
          if (error === undefined) resolve(value as never);
          else reject(new Error(error));
        });
        child.send({ id, name, input } satisfies Request);
      }),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};
