/** What looks like a switch that prevents a write does not let the write happen. */
import { beforeAll, describe, expect, it } from 'vitest';
import { contract, type Problem } from '@bot-directory/contract';
import { startDelivery } from '@bot-directory/testing/delivery';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startDelivery);
let bodies: Readonly<Record<string, object>>;
beforeAll(async () => {
  await service.publish('A bot');
  const post = { url: 'https://x.com/ada/status/1' };
  bodies = {
    submitBot: { link: service.link(service.provider.template({ name: 'Not meant' })) },
    addIntegrations: { integrations: ['slack'] },
    refreshBot: {},
    reportBot: { reason: 'spam' },
    addPost: post,
    reportPost: { ...post, reason: 'spam' },
    addWebhook: { url: service.receiver.url('/hook') },
    testWebhook: { url: service.receiver.url('/hook') },
    removeWebhook: { url: service.receiver.url('/hook') },
  };
});

const writes = Object.entries(contract).filter(([, { method }]) => method !== 'GET');
const send = async (name: string, more: object, query = '') => {
  const { method, path } = contract[name as keyof typeof contract];
  const body = { ...bodies[name], ...more };
  const answer = await service.api<Problem>(method, `${path.replace(':slug', 'a-bot')}${query}`, { body });
  return { status: answer.status, errors: answer.body.errors ?? [] };
};

describe('a write', () => {
  it.each(writes)('is refused with what would prevent it elsewhere: %s', async (name) => {
    const switches = [
      'dryRun',
      'dry-run',
      'DRY_RUN',
      'Dry Run',
      'dryrun',
      'preview',
      'validateOnly',
      'test',
      'draft',
      'private',
      ...(name === 'submitBot' ? [] : ['dry_run']),
    ];
    for (const field of switches) {
      const { status, errors } = await send(name, { [field]: true });
      expect([field, status, errors.map(({ pointer }) => pointer)]).toEqual([field, 400, [`/${field}`]]);
      expect(errors[0]?.detail).toContain(name === 'submitBot' ? '`"dry_run": true`' : 'no dry run');
    }
    for (const field of ['publish', 'commit'])
      expect((await send(name, { [field]: false })).errors.map(({ pointer }) => pointer)).toEqual([`/${field}`]);
    for (const query of ['?dry_run=true', '?dryRun', '?publish=false'])
      expect((await send(name, {}, query)).errors.map(({ pointer }) => pointer)).toEqual([query.split('=', 1)[0]]);
    expect((await service.get<unknown[]>('/api/bots')).body).toHaveLength(1);
    expect((await service.get<unknown[]>('/api/feed')).body).toEqual([]);
    expect(service.receiver.received).toEqual([]);
  });

  it('names a switch together with all that is wrong', async () => {
    const { errors } = await send('submitBot', { dryRun: true, author: '!' });
    expect(errors.map(({ pointer }) => pointer)).toEqual(['/dryRun', '/author']);
  });

  it('happens with other unknown fields, and with switches that are off', async () => {
    const off = { publish: true, dryRun: null, draft: false, preview: 'no' };
    expect(await send('addPost', { ...off, note: 'test' }, '?dryRun=false')).toEqual({ status: 200, errors: [] });
  });
});
