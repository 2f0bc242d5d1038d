import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '@bot-directory/contract';
import { startService, type Service } from '@bot-directory/testing/service';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('adding integrations to a bot', () => {
  it.each(['none', '__proto__', 'constructor', 'UPPER', 'a%20b'])(
    'answers bot_not_found for the slug %s',
    async (slug) => {
      const answer = await service.post<Problem>(`/api/bots/${slug}/integrations`, { integrations: ['slack'] });
      expect([answer.status, answer.body.code]).toEqual([404, 'bot_not_found']);
    },
  );
});
