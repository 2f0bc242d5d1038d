/**
 * What makes Node's HTTP server quick, beyond its documented interface. All that a new release of Node may break is
 * here: where it does, responses are slower and no different.
 */
import { createHook } from 'node:async_hooks';
import { IncomingMessage, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Express } from 'express';

/**
 * The classes for a server whose requests go to this app. Up to Node 22, Express spends four fifths of a small request
 * on swapping the prototypes of request and response. Created with the right prototypes, they need no swap, and the API
 * is about three times as fast. From Node 24 on it makes no difference.
 */
export const expressClasses = (
  app: Express,
): { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse } => {
  // Real subclasses: objects from any other constructor get such a bad layout from V8 that every request takes four
  // times as long.
  class Request extends IncomingMessage {}
  class Response<Asked extends IncomingMessage> extends ServerResponse<Asked> {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  const classes = { IncomingMessage: Request, ServerResponse: Response };
  keepResponseShape(classes);
  return classes;
};

/**
 * V8 holds the shapes of objects weakly: if a full collection finds no object of a shape, it may drop it, and code that
 * had learnt the shape takes a slow path from then on. What is held here keeps its shape. See decision 0085.
 */
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

/**
 * A status and headers, as a flat list, that many responses have. `text` is both as they are sent: serialized once, not
 * for each response. See decision 0142.
 */
export type Head = { readonly status: number; readonly headers: readonly string[]; readonly text: string };

/** Begins a response. `ofRequest`: a flat list of the headers that differ by request, with values of our own making. */
export type WriteHead = (res: ServerResponse, head: Head, ofRequest: readonly string[]) => void;

/** Serializes a head. Throws if Node would refuse one of its headers. */
export const headOf = (status: number, headers: readonly string[]): Head => {
  for (let i = 0; i < headers.length; i += 2) {
    const [name = '', value = ''] = [headers[i], headers[i + 1]];
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  return { status, headers, text: linesOf(headers, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`) };
};

const linesOf = (headers: readonly string[], before: string): string => {
  let text = before;
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i] ?? ''}: ${headers[i + 1] ?? ''}\r\n`;
  return text;
};

/** Where Node keeps a response's head once it has serialized it, without a documented name. */
type Begun = ServerResponse & { _header: string | null };

/** Whether this release of Node does. If not, it gets headers as lists. */
export const nodeSendsHead = ((): boolean => {
  const probe = new ServerResponse(new IncomingMessage(undefined as never)) as Begun;
  probe._header = 'HTTP/1.1 200 OK\r\n\r\n';
  return probe.headersSent;
})();

/** Makes the writer of heads of a server with this time-out. */
export const createHeadWriter = (keepAliveTimeoutMs: number): WriteHead => {
  const timeoutSec = Math.floor(keepAliveTimeoutMs / 1_000);
  const ending = `\r\nConnection: keep-alive\r\n${keepAliveTimeoutMs > 0 ? `Keep-Alive: timeout=${timeoutSec}\r\n` : ''}\r\n`;
  let [date, dateSec] = ['', 0];
  return (res, { status, headers, text }, ofRequest) => {
    // Node knows how connections end, and what to say of it.
    if (!nodeSendsHead || !res.shouldKeepAlive || res.req.headers.expect !== undefined)
      return void res.writeHead(status, headers.concat(ofRequest));
    const nowSec = Math.floor(Date.now() / 1_000);
    if (nowSec !== dateSec) [date, dateSec] = [new Date(nowSec * 1_000).toUTCString(), nowSec];
    res.statusCode = status;
    (res as Begun)._header = `${linesOf(ofRequest, text)}Date: ${date}${ending}`;
  };
};
