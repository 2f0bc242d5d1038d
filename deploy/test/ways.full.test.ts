/**
 * Every documented way to run the directory, by the manual's blocks: it is installed, serves the world through its
 * proxy, takes a submission, is upgraded without a lost request, survives a Redis that is killed, is backed up and
 * restored, and is moderated by its command line. On each machine systemd, Redis and both proxies are Debian's own.
 * `docker` and `kubectl` are stubs, which start what compose.yaml and the Kubernetes example say as processes, and a
 * balancer stands for the cluster's Service.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startClient } from '@bot-directory/testing/client';
import { until } from '@bot-directory/testing/until';
import { templates } from '../../examples/template-provider/src/templates.js';
import { composeWay } from './support/compose.ts';
import { kubernetesWay } from './support/kubernetes.ts';
import { npxWay } from './support/npx.ts';
import { ask, namesAt, type Layout, type Way } from './support/layout.ts';
import { systemdWay } from './support/systemd.ts';

const ways: readonly Way[] = [
  systemdWay({ from: 'a clone', proxy: 'haproxy', umask: '077', family: 'v4' }),
  systemdWay({
    from: 'a release',
    proxy: 'haproxy',
    umask: '027',
    family: 'v6',
    settings: { REDIS_KEY_PREFIX: 'directory-of-ours:' },
  }),
  systemdWay({ from: 'a release', proxy: 'nginx', umask: '077', family: 'v4' }),
  npxWay,
  composeWay,
  kubernetesWay,
];

/** The steps share what runs, and the ways share nothing. */
const inTurn = { concurrent: false, timeout: 600_000 };

const walk = ({ install }: Way): void => {
  let layout: Layout;
  let names: string[] = [];
  const submit = async (): Promise<string> => {
    const { id = '', name = '' } = templates[names.length] ?? {};
    const link = `https://bots.example.com/bot/${id}`;
    const { status, text } = await ask(`${layout.url}/api/bots/submit`, { link });
    expect(status, text).toBe(200);
    names = [name, ...names];
    return (JSON.parse(text) as { slug: string }).slug;
  };
  const hasAll = (): Promise<void> =>
    until('it lists them all', async () => String(await namesAt(layout.url)) === String(names), 300_000);
  const statusOf = async (slug: string): Promise<number> => (await ask(`${layout.url}/api/bots/${slug}`)).status;

  beforeAll(async () => {
    layout = await install();
  }, 600_000);
  afterAll(() => layout.stop());

  it('is served by its proxy, and takes a submission', inTurn, async () => {
    await hasAll();
    await submit();
    await hasAll();
  });

  it('is upgraded twice in a row without a lost request', inTurn, async () => {
    const clients = Array.from({ length: 10 }, () => startClient(layout.url));
    for (let time = 0; time < 2; time += 1) await layout.upgrade();
    const results = await Promise.all(clients.map((client) => client.stop()));
    expect(results.flatMap(({ failures }) => failures)).toEqual([]);
    for (const { answered } of results) expect(answered).toBeGreaterThan(1);
    await hasAll();
  });

  it('is backed up, and restored into an empty store', inTurn, async () => {
    await submit();
    await layout.backUp();
    await layout.restore();
    await hasAll();
    await layout.follow('bot-directory-admin check');
  });

  it('is moderated by its command line, which says who did it', inTurn, async () => {
    const slug = await submit();
    await layout.follow(`bot-directory-admin hide ${slug} --reason "Under review."`);
    await until('it is hidden', async () => (await statusOf(slug)) === 404);
    await layout.follow(`bot-directory-admin --yes remove ${slug} --reason "Spam."`);
    await until('it is gone', async () => (await statusOf(slug)) === 410);
    expect(await layout.follow('bot-directory-admin audit --limit 1')).toMatch(/\broot\b/);
  });
};

for (const way of ways) describe.concurrent(way.name, way.needs, () => walk(way));
