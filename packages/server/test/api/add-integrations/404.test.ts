import { describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startService } from '@bot-directory/testing/service';
import { useStarted } from '@bot-directory/testing/use-started';

const service = useStarted(startService);

describe('adding integrations to a bot', () => {
  it.each(['none', '__proto__', 'constructor', 'UPPER', 'a%20b'])(
    'answers bot_not_found for the slug %s',
    async (slug) => {
      const answer = await service.post<Problem>(`/api/bots/${slug}/integrations`, { integrations: ['slack'] });
      expect([answer.status, answer.body.code]).toEqual([404, 'bot_not_found']);
    },
  );
});
