/** What is wrong with a field, in words that a client may show to its user: no door shows those of a library. */
import { describe, expect, it } from 'vitest';
import { limits, reportReasons, webhookFormats, type Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(() => startService());
const reports = '/api/bots/none/reports';
const hooks = '/api/webhooks/bots';
const url = 'https://hooks.acme.com/';

describe('a refused field', () => {
  it.each<[path: string, body: unknown, pointer: string, detail: string]>([
    ['/api/feed', {}, '/url', 'is required'],
    ['/api/feed', { url: 5 }, '/url', 'must be text'],
    ['/api/bots/submit', { link: 'x', dry_run: 'yes' }, '/dry_run', 'must be true or false'],
    ['/api/bots/none/integrations', { integrations: 'slack' }, '/integrations', 'must be a list'],
    ['/api/bots/none/integrations', { integrations: ['slack', 5] }, '/integrations/1', 'must be text'],
    [reports, { reason: 'because' }, '/reason', `must be one of ${reportReasons.join(', ')}`],
    [
      reports,
      { reason: 'spam', text: 'x'.repeat(limits.reportLength + 1) },
      '/text',
      `must have at most ${limits.reportLength} characters`,
    ],
    [hooks, { url, format: 'Slack' }, '/format', `must be one of ${webhookFormats.join(', ')}`],
    [hooks, { url, events: [] }, '/events', 'must have at least 1 entry'],
    [hooks, { url, resume: 'last' }, '/resume', 'must be next'],
    [hooks, { url, filter: 'SEO' }, '/filter', 'must be an object'],
    [hooks, { url, secret: 'short' }, '/secret', 'must be whsec_ and 24 to 64 bytes in base64'],
  ])('of %s with %j is explained in a sentence', async (path, body, pointer, detail) => {
    const { status, body: problem } = await service.post<Problem>(path, body);
    expect([status, problem.errors?.find((one) => one.pointer === pointer)?.detail]).toEqual([400, detail]);
  });
});
