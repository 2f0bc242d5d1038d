import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deliverySettings } from '../support/delivery.ts';
import { startProcess } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const home = mkdtempSync(join(tmpdir(), 'bot-directory-ca-'));
const paths = Array.from({ length: 10 }, (_, i) => `/hook/${i}`);
let receiver: Receiver;
let web: Service;
let workerSettings: Record<string, string>;
beforeAll(async () => {
  receiver = await startReceiver();
  web = await startService({ settings: { ...deliverySettings, ROLE: 'web' }, world: { ca: receiver.ca } });
  const caFile = join(home, 'ca.pem');
  writeFileSync(caFile, receiver.ca);
  workerSettings = { ...deliverySettings, REDIS_URL: web.redis?.url ?? '', TEMPLATE_HOST: 'templates.example.com', ROLE: 'worker', NODE_EXTRA_CA_CERTS: caFile };
  for (const path of paths) expect((await web.post('/api/webhooks/bots', { url: receiver.url(path) })).status).toBe(200);
});
afterAll(async () => {
  await web.stop();
  await receiver.stop();
  rmSync(home, { recursive: true, force: true });
});

const sequence = (path: string): string[] => receiver.events(path).map(({ data }) => data.slug ?? '');
const all = (has: (slugs: string[]) => boolean): boolean => paths.every((path) => has(sequence(path)));

it('a worker that froze, and wakes when another has its webhooks, changes nothing of theirs', async () => {
  const answers: (() => void)[] = [];
  receiver.respond((_received, res) => void answers.push(() => res.writeHead(204).end()));
  const frozen = await startProcess(workerSettings);
  const first = await web.publish('While it freezes');
  await until('it calls them all', () => answers.length === paths.length);
  process.kill(frozen.pid, 'SIGSTOP');
  for (const answer of answers) answer();

  receiver.respond(204);
  const other = await startProcess(workerSettings);
  await until('the other has taken them over', () => all((slugs) => slugs.length === 2));
  const second = await web.publish('Meanwhile');
  await until('the other goes on', () => all((slugs) => slugs.includes(second)));
  process.kill(frozen.pid, 'SIGCONT');
  const third = await web.publish('After it woke');
  await until('they have it', () => all((slugs) => slugs.includes(third)));
  // Stopping writes down whatever either still holds.
  expect(await Promise.all([frozen.stop(), other.stop()])).toEqual([0, 0]);
  for (const path of paths) expect(sequence(path)).toEqual([first, first, second, third]);
}, 60_000);
