/** When a bot changed and where its template is: where it is read alone, and in lists that ask for it. */
import { describe, expect, it } from 'vitest';
import { type Bot, type BotDetails, contract, type Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);
const both = 'include=updated_at,template_url';

const publish = async (name: string): Promise<{ slug: string; link: string }> => {
  const link = service.link(service.provider.template({ name }));
  const { body } = await service.post<{ slug: string }>('/api/bots/submit', { link });
  return { slug: body.slug, link };
};
const details = async (slug: string): Promise<BotDetails> => (await service.get<BotDetails>(`/api/bots/${slug}`)).body;

describe('a bot that is read alone', () => {
  it('says when it changed and where its template is', async () => {
    const { slug, link } = await publish('Alone');
    const before = await details(slug);
    expect(before).toMatchObject({ template_url: link, updated_at: before.created_at });
    await service.post(`/api/bots/${slug}/integrations`, { integrations: ['slack'] });
    const after = await details(slug);
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect(after.created_at).toBe(before.created_at);
  });
});

describe('a list', () => {
  it('has the fields that it is asked for, in pages, with filters, and as lines', async () => {
    await Promise.all(Array.from({ length: 260 }, (_, i) => publish(`Überall ${i}`)));
    const bare = (await service.get<Bot[]>('/api/bots')).body;
    const whole = (await service.get<BotDetails[]>(`/api/bots?${both}`)).body;
    const one = whole[259] as BotDetails;
    expect(one).toEqual(await details(one.slug));
    expect(whole.map(({ updated_at: _, template_url: __, ...bot }) => bot)).toEqual(bare);
    // The contract names all that is there.
    for (const list of [bare, whole]) expect(contract.listBots.responses[200].parse(list)).toEqual(list);
    const lines = await fetch(`${service.url}/api/bots?${both}`, { headers: { Accept: 'application/x-ndjson' } });
    const parsed = (await lines.text())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);
    expect(parsed).toEqual(whole);
    const page = await service.get<BotDetails[]>(`/api/bots?limit=2&q=uberall&include=template_url`);
    expect(page.body.map((bot) => Object.keys(bot).at(-1))).toEqual(['template_url', 'template_url']);
    expect(page.body[0]).not.toHaveProperty('updated_at');
    const next = /<[^>]*(\/api\/bots\?[^>]*)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    expect((await service.get<BotDetails[]>(next)).body[0]?.template_url).toBe(whole[2]?.template_url);
  });

  it('changes with its bots', async () => {
    const { slug } = await publish('Changing');
    const newest = () => service.get<BotDetails[]>(`/api/bots?limit=1&include=updated_at&include=template_url`);
    const before = await newest();
    await service.post(`/api/bots/${slug}/integrations`, { integrations: ['gmail'] });
    const after = await newest();
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(after.body).toEqual([await details(slug)]);
    expect(after.body[0]?.updated_at).not.toBe(before.body[0]?.updated_at);
  });

  it('refuses others, together with what else is wrong', async () => {
    const { status, body } = await service.get<Problem>('/api/bots?include=updated_at,text&limit=0');
    expect(status).toBe(400);
    expect(body.errors?.map(({ pointer }) => pointer)).toEqual(['?limit', '?include']);
  });
});
