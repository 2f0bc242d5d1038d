/**
 * Keeps two things fast that every request does. V8 holds the shapes of objects weakly: if a full collection finds no
 * object of a shape, it may drop it, and code that had learnt the shape takes a slow path from then on. What is held
 * here for as long as the process runs keeps its shapes. See decision 0085.
 */
import { createHook } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';

const kept: object[] = [];
const noSocket = undefined as never;

/** For `process.nextTick`: Node queues each callback as an object literal with computed keys. Call it at the start. */
export const keepTickShape = (): void => {
  let tick: object | undefined;
  const hook = createHook({
    init: (_id, _type, _triggerId, queued) => {
      tick ??= queued;
    },
  });
  hook.enable();
  process.nextTick(() => undefined);
  hook.disable();
  if (tick !== undefined) kept.push(tick);
};

/**
 * For the responses of an HTTP server: Node's constructor sets properties by computed keys. Call before the first
 * request, with the server's classes.
 */
export const keepResponseShape = (classes: {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}): void => {
  kept.push(new classes.ServerResponse(new classes.IncomingMessage(noSocket)));
};
