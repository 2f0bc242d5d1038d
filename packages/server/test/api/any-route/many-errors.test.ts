import { describe, expect, it } from 'vitest';
import { limits, type Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

const refusal = async (method: string, path: string, body?: unknown) => {
  const answer = await service.api<Problem>(method, path, body === undefined ? {} : { body });
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  return { ...answer.body, bytes: JSON.stringify(answer.body).length };
};
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `none-${i}`);

describe('a problem with many errors', () => {
  it('names twenty refused entries of a body and counts the rest', async () => {
    const { errors, detail } = await refusal('POST', '/api/bots/submit', { link: 'x', categories: names(50) });
    expect(errors).toHaveLength(limits.errorsNamed);
    expect(detail).toContain('31 more');
  });

  it('names all, if there are twenty', async () => {
    const { errors, detail } = await refusal('POST', '/api/bots/submit', { link: 'x', categories: names(19) });
    expect(errors).toHaveLength(20);
    expect(detail).toContain('lists each one');
  });

  it('does the same for the parameters of a query', async () => {
    const { errors, detail } = await refusal(
      'GET',
      `/api/bots?${names(21)
        .map((name) => `category=${name}`)
        .join('&')}`,
    );
    expect(errors).toHaveLength(20);
    expect(detail).toContain('1 more');
  });

  it.each([
    ['submit-bot', '/api/bots/submit', 'categories'],
    ['submit-bot', '/api/bots/submit', 'integrations'],
    ['add-integrations', '/api/bots/a-bot/integrations', 'integrations'],
  ])('answers 32 KB of bad entries with one short error: %s, %s, %s', async (_name, path, field) => {
    const entries = Array.from({ length: 7_000 }, () => '!');
    const { errors, bytes } = await refusal('POST', path, { link: 'x', [field]: entries });
    expect(errors?.filter(({ pointer }) => pointer.startsWith(`/${field}`))).toEqual([
      { pointer: `/${field}`, detail: 'must have at most 1000 entries' },
    ]);
    expect(bytes).toBeLessThan(1_000);
  });
});
