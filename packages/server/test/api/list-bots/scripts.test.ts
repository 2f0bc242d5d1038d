/** `q` in scripts that write one word in several ways. */
import { describe, expect, it } from 'vitest';
import type { Bot } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

const namesFor = async (q: string): Promise<string[]> =>
  (await service.get<Bot[]>(`/api/bots?q=${encodeURIComponent(q)}`)).body.map(({ name }) => name);

describe('a search', () => {
  it.each([
    ['taa marbuta and haa', 'مدرسة اليوم', 'مدرسه'],
    ['haa and taa marbuta', 'حديقه الحيوان', 'حديقة'],
    ['alif maksura and yaa', 'مستشفى كبير', 'مستشفي'],
    ['Persian and Arabic kaf', 'کتاب خوب', 'كتاب'],
    ['Arabic and Persian yeh', 'فارسي جديد', 'فارسی'],
    ['hiragana and katakana', 'カレンダー係', 'かれんだー'],
    ['katakana and hiragana', 'ひらがなメモ', 'ヒラガナ'],
    ['half-width and full-width katakana', 'スケジュール帳', 'ｽｹｼﾞｭｰﾙ'],
  ])('takes %s for one word', async (_what, name, q) => {
    await service.publish(name);
    expect(await namesFor(q)).toEqual([name]);
  });

  it('tells words apart that their writers do', async () => {
    await service.publish('ガス検針');
    expect(await namesFor('かす')).toEqual([]);
    expect(await namesFor('がす')).toEqual(['ガス検針']);
  });
});
