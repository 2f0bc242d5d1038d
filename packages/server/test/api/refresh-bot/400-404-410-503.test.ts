import { beforeAll, describe, expect, it } from 'vitest';
import { limits, type Bot, type Problem } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import type { TemplateHandler } from '@bot-directory/testing/provider';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

let offsetMs = 0;
let operator: ReturnType<typeof operatorOf>;
const service = useStarted(() => startService({ world: { offsetMs: () => offsetMs } }));
beforeAll(() => {
  operator = operatorOf(service.redis?.url ?? '', service.url);
});

const publish = async (name: string) => {
  const id = service.provider.template({ name });
  const { body } = await service.post<{ slug: string }>('/api/bots/submit', { link: service.link(id) });
  return { id, slug: body.slug, now: (page: object | TemplateHandler) => service.provider.template(page, id) };
};
const refresh = (slug: string) => service.post<Problem>(`/api/bots/${slug}/refresh`, {});
const later = (): void => void (offsetMs += limits.refreshSec * 1_000);
const nameOf = async (slug: string) => (await service.get<Bot>(`/api/bots/${slug}`)).body.name;

describe('a refresh', () => {
  it('of a bot that does not exist or is hidden is a 404, and of a removed one a 410 with the reason', async () => {
    expect((await refresh('no-such-bot')).body.code).toBe('bot_not_found');
    const { slug } = await publish('Gone soon');
    await operator.run('hide', slug);
    expect((await refresh(slug)).body.code).toBe('bot_not_found');
    await operator.run('remove', slug, '--reason', 'Spam.');
    const { status, body } = await refresh(slug);
    expect([status, body.code, body.reason]).toEqual([410, 'bot_gone', 'Spam.']);
  });

  it.each<[string, TemplateHandler, number, string]>([
    ['has no such template', (_req, res) => res.writeHead(404).end(), 404, 'template_not_found'],
    ['is unreadable', (_req, res) => res.writeHead(500).end(), 503, 'template_provider_unavailable'],
  ])(
    'changes nothing when the provider %s, and repeats that until the next reading',
    async (_what, now, status, code) => {
      const { id, slug, now: set } = await publish('Unlucky');
      set(now);
      const fetched = () => service.provider.requests.filter((asked) => asked === id).length;
      const before = fetched();
      const first = await refresh(slug);
      const again = await refresh(slug);
      expect([first, again].map((answer) => [answer.status, answer.body.code])).toEqual(Array(2).fill([status, code]));
      expect([fetched() - before, await nameOf(slug)]).toEqual([1, 'Unlucky']);
      const waits = [first, again].map(({ headers }) => Number(headers.get('retry-after')));
      if (status === 503) expect(Math.min(...waits)).toBeGreaterThan(limits.refreshSec - 60);
      set({ name: 'Lucky' });
      later();
      expect([(await refresh(slug)).status, await nameOf(slug)]).toEqual([200, 'Lucky']);
    },
  );

  it('to a blocked text keeps the old one, and the operator gets one report of it', async () => {
    const { slug, now } = await publish('Decent');
    await operator.run('block', 'words', 'casino');
    now({ name: 'Free casino' });
    for (let i = 0; i < 3; i += 1) {
      const { status, body } = await refresh(slug);
      expect([status, body.code, await nameOf(slug)]).toEqual([400, 'submission_blocked', 'Decent']);
      later();
    }
    const reports = await operator.run<{ slug: string; reason: string }[]>('reports');
    expect(reports.filter(({ slug: of }) => of === slug).map(({ reason }) => reason)).toEqual(['blocked_text']);
    await operator.run('unblock', 'words', 'casino');
    expect([(await refresh(slug)).status, await nameOf(slug)]).toEqual([200, 'Free casino']);
  });
});
