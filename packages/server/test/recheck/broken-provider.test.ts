/** No bot is withdrawn when a provider has lost all templates, and one that sends tags resends only what changed. */
import { Redis } from 'ioredis';
import { beforeAll, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { until } from '@bot-directory/testing/until';
import { useStarted } from '@bot-directory/testing/use-started';
import { keys } from '../../src/store/keys.ts';

const dayMs = 86_400_000;
let days = 0;
let isBroken = false;
/** The requests for templates, and the status of each response. */
const answers: { readonly id: string; readonly tag: string | undefined; readonly status: number }[] = [];
const names = Array.from({ length: 8 }, (_, i) => `bot-${i}`);

const service = useStarted(() =>
  startService({
    world: { offsetMs: () => days * dayMs, pollMs: 20 },
    settings: { TEMPLATE_RECHECK: '168h' },
  }),
);
beforeAll(async () => {
  for (const id of names) {
    service.provider.template(({ headers }, res) => {
      const tag = headers['if-none-match'];
      const status = isBroken ? 404 : tag === `"${id}"` ? 304 : 200;
      answers.push({ id, tag, status });
      res.writeHead(status, { 'Content-Type': 'application/json', ETag: `"${id}"` });
      res.end(status === 200 ? JSON.stringify({ name: id }) : undefined);
    }, id);
    expect((await service.post('/api/bots/submit', { link: service.link(id) })).status).toBe(200);
  }
  // Without bots, the next reading was due in a week: the worker must notice these before a day passes.
  const redis = new Redis(service.redis?.url ?? '');
  await until(
    'a reading is due within a day',
    async () => Number(await redis.hget(keys.rechecks, 'due_at')) < Date.now() + dayMs,
  );
  redis.disconnect();
});

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1] ?? 0,
  );
};
/** Lets days pass until each template was read once more, and expects this status from every response. */
const pass = async (status: number): Promise<void> => {
  answers.length = 0;
  for (let day = 0; new Set(answers.map(({ id }) => id)).size < names.length; day += 1) {
    expect(day).toBeLessThan(40);
    const before = answers.length;
    days += 1;
    await until('a template is read', () => answers.length > before);
  }
  expect(answers.every((answer) => answer.status === status)).toBe(true);
};
const listed = async () => (await service.get<Bot[]>('/api/bots')).body.length;

it('a template with a tag is read again only if it has changed', async () => {
  await pass(200);
  await pass(304);
  await until('all results are known', async () => (await metric('template_checks_total{result="unchanged"}')) >= 16);
});

it('nothing is withdrawn when everything is gone, and the metrics say so', async () => {
  isBroken = true;
  await pass(404);
  for (let day = 0; day < 5; day += 1) await pass(404);
  await until('it is held', async () => (await metric('template_checks_total{result="held"}')) > 0);
  expect([await listed(), await metric('directory_missing_templates')]).toEqual([names.length, names.length]);
  isBroken = false;
  await pass(200);
  await until('none is missing', async () => (await metric('directory_missing_templates')) === 0);
  expect(await listed()).toBe(names.length);
});
