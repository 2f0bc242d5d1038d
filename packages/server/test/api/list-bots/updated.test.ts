/** What changed since an instant, and in the order of changes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { operatorOf } from '@bot-directory/testing/operator';
import { startService, type Service } from '@bot-directory/testing/service';

const hourMs = 3_600_000;
let service: Service;
let other: Service;
/** How far the clock is moved. An operator's command uses the real one. */
let hours = -9;
/** Half an hour before the last change. */
const since = (): string => new Date(Date.now() + (hours - 0.5) * hourMs).toISOString();
const slugs = { old: '', refreshed: '', merged: '', edited: '', hidden: '' };

beforeAll(async () => {
  const world = { offsetMs: () => hours * hourMs };
  service = await startService({ world });
  other = await startService({
    redis: service.redis,
    provider: service.provider,
    world,
    settings: { BASE_URL: service.url },
  });
  for (const name of Object.keys(slugs) as (keyof typeof slugs)[]) slugs[name] = await service.publish(name);
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

const list = async (query: string) => {
  const { status, body, headers } = await other.get<Bot[]>(`/api/bots?${query}`);
  expect(status).toBe(200);
  return { slugs: body.map(({ slug }) => slug), bots: body, headers };
};
const operator = () => operatorOf(service.redis?.url ?? '', service.url);

const changes: [name: keyof typeof slugs, change: () => Promise<unknown>][] = [
  ['edited', () => operator().run('edit', slugs.edited, '--author', '@ada')],
  [
    'hidden',
    async () => {
      await operator().run('hide', slugs.hidden);
      await operator().run('restore', slugs.hidden);
    },
  ],
  ['merged', () => service.post(`/api/bots/${slugs.merged}/integrations`, { integrations: ['slack'] })],
  [
    'refreshed',
    () => {
      const id = service.provider.requests.at(1) ?? '';
      service.provider.template({ name: 'refreshed', description: 'New text.' }, id);
      return service.post(`/api/bots/${slugs.refreshed}/refresh`, {});
    },
  ],
];
const byOperator: readonly string[] = ['edited', 'hidden'];

describe('the bots that changed', () => {
  it.each(changes)('have the one that was %s, whichever process lists them', async (name, change) => {
    hours = byOperator.includes(name) ? 0 : Math.max(hours, 0) + 1;
    expect((await list(`updated_since=${since()}`)).slugs).not.toContain(slugs[name]);
    await change();
    const { slugs: found, bots, headers } = await list(`sort=updated&updated_since=${since()}`);
    expect([found[0], headers.get('x-total-count')]).toEqual([slugs[name], String(found.length)]);
    expect(found).toHaveLength(name === 'hidden' ? 2 : 1);
    expect((await list('sort=updated&limit=1')).slugs).toEqual([slugs[name]]);
    expect(Object.keys(bots[0] ?? {})).toHaveLength(11);
  });

  it('do not have one that was only installed, nor one whose integrations were there already', async () => {
    hours += 1;
    await service.install(slugs.old);
    await service.post(`/api/bots/${slugs.merged}/integrations`, { integrations: ['slack'] });
    expect((await list(`updated_since=${since()}`)).slugs).toEqual([]);
  });

  it('are all of them in the order of their changes, page by page', async () => {
    const expected = [slugs.refreshed, slugs.merged, slugs.hidden, slugs.edited, slugs.old];
    expect((await list('sort=updated')).slugs).toEqual(expected);
    const { headers, slugs: first } = await list(`sort=updated&limit=2&updated_since=2020-01-01T02:00:00%2B02:00`);
    const next = new URL(/<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '');
    expect(next.searchParams.get('updated_since')).toBe('2020-01-01T00:00:00.000Z');
    expect([...first, ...(await list(next.searchParams.toString())).slugs]).toEqual(expected.slice(0, 4));
    expect((await list(`q=re&sort=updated`)).slugs).toEqual([slugs.refreshed]);
  });

  it('begin with the instant itself', async () => {
    hours += 1;
    const slug = await service.publish('To the millisecond');
    const at = Date.parse((await other.get<Bot>(`/api/bots/${slug}`)).body.created_at);
    expect((await list(`updated_since=${new Date(at).toISOString()}`)).slugs).toEqual([slug]);
    expect((await list(`updated_since=${new Date(at + 1).toISOString()}`)).slugs).toEqual([]);
  });
});
