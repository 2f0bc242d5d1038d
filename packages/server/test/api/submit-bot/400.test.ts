import { describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

const link = 'https://templates.example.com/bot/t';
const refused = async (body: unknown): Promise<string[]> => {
  const answer = await service.post<Problem>('/api/bots/submit', body);
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  return answer.body.errors?.map(({ pointer }) => pointer) ?? [];
};

describe('submitting a bot', () => {
  it.each([
    'http://templates.example.com/bot/t',
    'https://example.com/bot/t',
    'https://templates.example.com.evil.example/bot/t',
    'https://templates.example.com:444/bot/t',
    'https://user:pass@templates.example.com/bot/t',
    'https://templates.example.com/bot/t/deeper',
    'https://templates.example.com/bot/a%2Fb',
    'https://templates.example.com/bot/..',
    'https://templates.example.com/bot/',
    'https://templates.example.com/bots/t',
    'https://templates.example.com\\bot\\t',
    'https://templates.example.com/bot/t t',
    'templates.example.com/bot/t',
    'not a url',
    '',
  ])('refuses the link %j', async (bad) => {
    expect(await refused({ link: bad })).toEqual(['/link']);
  });

  it.each([
    [{}, ['/link']],
    [[], ['']],
    [{ link: 7 }, ['/link']],
    [{ link, source_url: 'https://example.com/jo/status/1' }, ['/source_url']],
    [{ link, source_url: 'https://x.com/jo/status/abc' }, ['/source_url']],
    [{ link, author: 'with space' }, ['/author']],
    [{ link, author: 'x'.repeat(31) }, ['/author']],
    [{ link, author: '' }, ['/author']],
    [{ link, integrations: 'slack' }, ['/integrations']],
    [{ link, integrations: ['slack', '微信', '!!'] }, ['/integrations/1', '/integrations/2']],
    [{ link, integrations: ['x'.repeat(51)] }, ['/integrations/0']],
    [{ link, integrations: Array.from({ length: 25 }, (_, i) => `t${i}`) }, ['/integrations']],
    [{ link, categories: ['Nope'] }, ['/categories/0']],
    [{ link, categories: ['SEO', 'Marketing', 'Engineering', 'Sales'] }, ['/categories']],
    [{ link, name: 'Mine' }, ['/name']],
    [{ link, description: 'Mine' }, ['/description']],
  ])('refuses %j, naming the field', async (body, pointers) => {
    expect(await refused(body)).toEqual(pointers);
  });

  it('names every bad field at once', async () => {
    const pointers = await refused({
      link: 'x',
      source_url: 1,
      author: '!',
      integrations: [''],
      categories: ['Nope'],
      name: 'n',
      description: 'd',
    });
    expect(pointers.sort()).toEqual([
      '/author',
      '/categories/0',
      '/description',
      '/integrations/0',
      '/link',
      '/name',
      '/source_url',
    ]);
  });

  it('lists the allowed categories', async () => {
    const answer = await service.post<Problem>('/api/bots/submit', { link, categories: ['Nope'] });
    expect(answer.body.errors?.[0]?.detail).toMatch(/Marketing.*SEO|SEO.*Marketing/);
  });

  it('refuses bad input before it asks the provider or the store', async () => {
    const before = service.provider.requests.length;
    await refused({ link, author: '!' });
    expect(service.provider.requests).toHaveLength(before);
  });
});
