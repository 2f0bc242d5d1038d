/**
 * The receivers, in a process of their own: one HTTPS listener for all hosts. Of a request it parses only its
 * end takes and answers with prepared bytes, so that the sender is what is measured.
 */
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { testCertificate } from '@bot-directory/testing/certificate';
import { answerCalls } from '../support/child.ts';
import { nowMs } from '../support/statistics.ts';
import { closingPath } from './endpoints.ts';

export type ReceiverCalls = typeof calls;

/** An event's arrivals, in milliseconds on the common clock. */
type Arrivals = Record<string, number[]>;

const accepted = 'HTTP/1.1 204 No Content\r\n\r\n';
const acceptedLast = 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n';
const headEnd = '\r\n\r\n';

let received = 0;
let expected: { count: number; resolve: (atMs: number) => void } | undefined;
let arrivals: Arrivals = {};
let watchedBelow = 0;
let hangingFrom = Infinity;

const calls = {
  start: async () => {
    const { key, cert, ca } = await testCertificate();
    const server = createServer({ key, cert }, serve).listen(0, '0.0.0.0', 65_535);
    await new Promise((resolve) => server.once('listening', resolve));
    return { port: (server.address() as AddressInfo).port, ca };
  },
  /** Waits for `count` more requests. Returns when the last one came. */
  expect: (count: number) => {
    received = 0;
    return new Promise<number>((resolve) => (expected = { count, resolve }));
  },
  /** Makes hosts numbered from here on take requests and never respond. `null`: none. */
  hang: (first: number | null) => {
    hangingFrom = first ?? Infinity;
  },
  /** Notes from now on when requests to hosts numbered below this one come. */
  watch: (below: number) => {
    watchedBelow = below;
    arrivals = {};
  },
  /** Returns what was noted since the last call, by event. */
  arrivals: () => {
    const seen = arrivals;
    arrivals = {};
    return seen;
  },
  cpuMs: () => process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3,
};

const serve = (socket: TLSSocket): void => {
  let text = '';
  socket.setNoDelay(true).on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    const end = text.indexOf(headEnd);
    if (end === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < end + headEnd.length + length) return;
    const request = text;
    text = '';
    const host = hangingFrom < Infinity || watchedBelow > 0 ? Number(/host: h(\d+)/i.exec(request)?.[1]) : 0;
    if (host >= hangingFrom) return;
    if (request.startsWith(`POST ${closingPath} `)) socket.end(acceptedLast);
    else socket.write(accepted);
    arrived(request, host);
  });
};

const arrived = (request: string, host: number): void => {
  received += 1;
  if (received === expected?.count) expected.resolve(nowMs());
  if (host >= watchedBelow) return;
  const event = /webhook-id: (\S+)/i.exec(request)?.[1] ?? '';
  (arrivals[event] ??= []).push(nowMs());
};

answerCalls(calls);
