/**
 * What makes Node's HTTP server quick, beyond its documented interface. A new release of Node may break it;
 * `prepared-heads.test.ts` compares what is sent with what Node sends. See decision 0085. `body.ts` and
 * `connections.ts` reach as far, so that a response arrives and a stop cuts nobody off.
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
 * V8 holds the shapes of objects weakly: if a full collection finds no object of a shape, V8 may drop the shape, and
 * code that had learnt it takes a slow path from then on. What is held here keeps its shape.
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
 * A status, and the lines of headers that many responses have: serialized once, not for each response.
 */
export type Head = { readonly status: number; readonly lines: string };

/** Begins a response. `ofRequest`: the lines of headers that differ by request, with values of our own making. */
export type WriteHead = (res: ServerResponse, head: Head, ofRequest: string) => void;

/** Serializes the headers of a flat list. Throws if Node would refuse one of them. */
export const headOf = (status: number, headers: readonly string[]): Head => {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    const value = headers[i + 1] ?? '';
    validateHeaderName(name);
    validateHeaderValue(name, value);
    lines += headerLine(name, value);
  }
  return { status, lines };
};

/** A header as it is sent. */
export const headerLine = (name: string, value: string): string => `${name}: ${value}\r\n`;

/** Lines of headers as a flat list of names and values. */
const listOf = (lines: string): string[] =>
  lines.split('\r\n').flatMap((line) => {
    const at = line.indexOf(': ');
    return at === -1 ? [] : [line.slice(0, at), line.slice(at + 2)];
  });

/** Where Node keeps a response's head once it has serialized it, without a documented name. */
type Begun = ServerResponse & { _header: string | null };

/** Whether this release of Node keeps the head there. If not, it gets headers as lists. */
export const nodeSendsHead = ((): boolean => {
  const probe = new ServerResponse(new IncomingMessage(noSocket)) as Begun;
  probe._header = 'HTTP/1.1 200 OK\r\n\r\n';
  return probe.headersSent;
})();

/** Makes the writer of heads of a server with this time-out. */
export const createHeadWriter = (keepAliveTimeoutMs: number): WriteHead => {
  const timeout = `timeout=${Math.floor(keepAliveTimeoutMs / 1_000)}`;
  const ofConnection =
    headerLine('Connection', 'keep-alive') + (keepAliveTimeoutMs > 0 ? headerLine('Keep-Alive', timeout) : '');
  let ending = '';
  let endingSec = 0;
  return (res, { status, lines }, ofRequest) => {
    // Node itself knows how a connection ends, and which headers say so; and what a middleware has set.
    if (
      !nodeSendsHead ||
      !res.shouldKeepAlive ||
      res.req.headers.expect !== undefined ||
      res.getHeaderNames().length > 0
    )
      return void res.writeHead(status, listOf(lines + ofRequest));
    const nowSec = Math.floor(Date.now() / 1_000);
    if (nowSec !== endingSec) {
      endingSec = nowSec;
      ending = `${headerLine('Date', new Date(nowSec * 1_000).toUTCString())}${ofConnection}\r\n`;
    }
    res.statusCode = status;
    (res as Begun)._header = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}${ofRequest}${ending}`;
  };
};
