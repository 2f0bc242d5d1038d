import { describe, expect, it } from 'vitest';
import { namesFor, parseWritten } from './names.ts';

describe('how an integration is written', () => {
  it.each([
    ['MS Teams', 'ms-teams', 'MS Teams'],
    ['AcmeCRM', 'acmecrm', 'AcmeCRM'],
    [' acme.io ', 'acme-io', 'acme.io'],
    ['Café+', 'cafe-plus', 'Café+'],
    ['slack', 'slack', ''],
    ['Slack', 'slack', ''],
    ['google-sheets', 'google-sheets', ''],
    ['Google  Sheets', 'google-sheets', ''],
    ['Acme, Inc.', 'acme-inc', ''],
    ['🔥 ACME 🔥', 'acme', ''],
    ['AC\u202eME', 'acme', 'ACME'],
    ['<b>ACME</b>', 'b-acme-b', ''],
  ])('%j is %s, and kept as %j', (raw, slug, name) =>
    expect(parseWritten(raw)).toEqual({ ok: true, value: [slug, name] }),
  );

  it('is refused if it has no slug', () => {
    expect([parseWritten('会議').ok, parseWritten('a'.repeat(51)).ok]).toEqual([false, false]);
  });

  it('is the first of each integration that a bot has', () => {
    const names = ['MS Teams', 'Ms TEAMS', 'AcmeCRM', '', 'slack', 'OtherCRM'];
    expect(namesFor(['slack', 'acmecrm', 'ms-teams'], names)).toEqual(['MS Teams', 'AcmeCRM']);
  });
});
