/** Requests that Node's HTTP parser refuses: they get a problem like any other, as far as the socket allows. */
import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Failure } from '../base/failure.ts';
import { closeGently } from './close-gently.ts';
import type { Connections } from './connections.ts';
import { problemAnswer } from './problems.ts';
import { corsHeaders } from './representation.ts';

/** `onRefused` is called for each. */
export type ParserErrorDeps = {
  readonly baseUrl: string;
  readonly connections: Connections;
  readonly nextRequestId: () => string;
  readonly onRefused: (requestId: string, failure: Failure) => void;
};

/** Responds to them on every connection of a server. */
export const answerParserErrors = (server: Server, deps: ParserErrorDeps): void => {
  const answered = new WeakSet();
  const refuse = (socket: Socket, failure: Failure): void => {
    if (answered.has(socket)) return;
    answered.add(socket);
    if (!socket.writable || deps.connections.isAnswering(socket)) return void socket.destroy();
    // The response would be taken for that of a request before.
    if (deps.connections.closesAfterAnswers(socket)) return;
    const requestId = deps.nextRequestId();
    deps.onRefused(requestId, failure);
    closeGently(socket, rawAnswer(failure, { requestId, baseUrl: deps.baseUrl }));
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuse(socket, failureOf(error)));
  server.on('connect', (_req, socket: Socket) => {
    // Node has taken its own listener away: a reset would end the process.
    socket.on('error', () => undefined);
    refuse(socket, new Failure('method_not_allowed', 'This is not a proxy.', { allow: [] }));
  });
};

const failureOf = ({ code }: NodeJS.ErrnoException): Failure => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Failure('headers_too_large', 'Target and headers of a request may have at most 16 KB.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new Failure('body_too_large', 'The body may have at most 32 KB.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Failure('request_timeout', 'The request did not arrive completely in time.');
  return new Failure('malformed_request', 'The request is not valid HTTP.');
};

const rawAnswer = (failure: Failure, context: { requestId: string; baseUrl: string }): Buffer => {
  const { status, headers, bytes } = problemAnswer(failure, context);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, 'Connection: close'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  for (let i = 0; i < corsHeaders.length; i += 2) lines.push(`${corsHeaders[i] ?? ''}: ${corsHeaders[i + 1] ?? ''}`);
  lines.push(`X-Request-Id: ${context.requestId}`, `Date: ${new Date().toUTCString()}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]);
};
