import { describe, expect, it } from 'vitest';
import { mostOf, sharesOf } from './webhook-shares.ts';
import { parseWebhookUrl } from './webhook-url.ts';

const namesAt = (raw: string, client?: string): readonly string[] => {
  const target = parseWebhookUrl(raw, []);
  return target.ok ? sharesOf(target.value, client).map(({ name }) => name) : [];
};

describe('a webhook counts towards', () => {
  it.each([
    ['https://hooks.acme.com/', ['hooks.acme.com']],
    ['https://hooks.acme.com/hooks/1', ['hooks.acme.com']],
    ['https://hooks.acme.com/hooks/1?n=1', ['hooks.acme.com', 'hooks.acme.com/hooks/1?']],
    ['https://hooks.acme.com/services/T0/B0/x', ['hooks.acme.com', 'hooks.acme.com/services/T0/B0/*']],
    ['https://hooks.acme.com/catch/1/a/', ['hooks.acme.com', 'hooks.acme.com/catch/1/*']],
  ])('%s: %j', (url, names) => {
    expect(namesAt(url)).toEqual(names);
    expect(namesAt(url, 'mark')).toEqual([...names, 'hooks.acme.com mark']);
  });
});

it('has shares of the limit of a host that are no larger than it, unless it is small', () => {
  const shares = ['address', 'path', 'client'] as const;
  expect(shares.map((share) => mostOf(share, 1_000))).toEqual([10, 500, 100]);
  expect(shares.map((share) => mostOf(share, 3))).toEqual([10, 100, 100]);
});
