import { beforeAll, expect, it } from 'vitest';
import { shortLease } from '@bot-directory/testing/delivery';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { startWithoutWorkers } from '@bot-directory/testing/workers';

const paths = Array.from({ length: 10 }, (_, i) => `/hook/${i}`);
const web = useStarted(() => startWithoutWorkers(shortLease));
beforeAll(async () => {
  for (const path of paths) await web.register(path);
});

const all = (has: (slugs: string[]) => boolean): boolean => paths.every((path) => has(web.slugs(path)));

it('a worker that froze, and wakes when another has its webhooks, changes nothing for them', async () => {
  const answers: (() => void)[] = [];
  web.receiver.respond((_received, res) => void answers.push(() => res.writeHead(204).end()));
  const frozen = await web.startWorker();
  const first = await web.publish('While it freezes');
  await until('it calls them all', () => answers.length === paths.length);
  process.kill(frozen.pid, 'SIGSTOP');
  for (const answer of answers) answer();

  web.receiver.respond(204);
  const other = await web.startWorker();
  await until('the other has taken them over', () => all((slugs) => slugs.length === 2));
  const second = await web.publish('Meanwhile');
  await until('the other goes on', () => all((slugs) => slugs.includes(second)));
  process.kill(frozen.pid, 'SIGCONT');
  const third = await web.publish('After it woke');
  await until('they have it', () => all((slugs) => slugs.includes(third)));
  // A stop saves whatever either worker still holds.
  expect(await Promise.all([frozen.stop(), other.stop()])).toEqual([0, 0]);
  for (const path of paths) expect(web.slugs(path)).toEqual([first, first, second, third]);
});
