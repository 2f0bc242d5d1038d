import { expect, it } from 'vitest';
import { date, time } from './words.ts';

it.each(Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2026, month, 9, 16, 47)).toISOString()))(
  'abbreviates the month of %s to three letters',
  (iso) => {
    expect(date(iso)).toMatch(/^9 [A-Z][a-z]{2} 2026$/);
    expect(time(iso)).toMatch(/^9 [A-Z][a-z]{2} 2026, 16:47 UTC$/);
  },
);
