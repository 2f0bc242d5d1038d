/**
 * A 204 has no body, and many servers send one all the same: `{}`, as PHP's frameworks and examples for Python's
 * `http.server` do. Here both servers do it themselves. It costs no event a failure.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebhookStatus } from '@bot-directory/contract';
import { testCertificate } from '@bot-directory/testing/certificate';
import { lateRetries, startDelivery } from '@bot-directory/testing/delivery';
import { needs } from '@bot-directory/testing/needs';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { freePort } from '../../../../scripts/port.mjs';
import { program } from '../../../../scripts/programs.mjs';

const python = `
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Hooks(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(204)
        if sys.argv[2] == 'announced':
            self.send_header('Content-Length', '2')
        self.end_headers()
        self.wfile.write(b'{}')

ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Hooks).serve_forever()
`;
const php = `<?php
http_response_code(204);
if (getenv('BODY') === 'announced') header('Content-Length: 2');
echo '{}';
`;

let folder: string;
let server: ChildProcess;
let front: Server;
/** A failure would be retried after the end of the test. */
const test = useStarted(() => startDelivery({ settings: lateRetries }));
afterEach(async () => {
  front.close();
  server.kill();
  await once(server, 'exit');
  rmSync(folder, { recursive: true });
});

/** Starts a server, and TLS in front of it that passes its bytes on as they are. Returns its URL. */
const serve = async (name: 'python3' | 'php', body: string): Promise<string> => {
  const port = await freePort();
  folder = mkdtempSync(join(tmpdir(), 'bot-directory-204-'));
  const file = join(folder, `hooks.${name}`);
  writeFileSync(file, name === 'php' ? php : python);
  const args = name === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file, String(port), body];
  server = spawn(program(name), args, { env: { ...process.env, BODY: body }, stdio: 'ignore' });
  const { key, cert } = await testCertificate();
  front = createServer({ key, cert }, (socket) => {
    const behind = connect(port, '127.0.0.1');
    socket.on('error', () => behind.destroy()).pipe(behind);
    behind.on('error', () => socket.destroy()).pipe(socket);
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  return `https://127.0.0.1:${(front.address() as AddressInfo).port}/`;
};

describe.each(['python3', 'php'] as const)('a body that %s sends with a 204', (name) => {
  it.each(['announced', 'unannounced'])('costs no event a failure (%s)', needs(name), async (body) => {
    const url = await serve(name, body);
    await until('it is registered', async () => (await test.post('/api/webhooks/bots', { url })).status === 200);
    for (let i = 0; i < 10; i += 1) await test.publish(`${name} ${body} ${i}`);
    const status = async (): Promise<WebhookStatus> =>
      (await test.get<WebhookStatus>(`/api/webhooks/bots/status?url=${encodeURIComponent(url)}`)).body;
    await until('it has all', async () => (await status()).pending_events === 0);
    const { last_attempts: attempts } = await status();
    expect(attempts.map((attempt) => attempt.status)).toEqual(Array.from({ length: 10 }, () => 204));
  });
});
