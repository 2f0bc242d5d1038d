import { expect, it } from 'vitest';
import { WrittenNames } from './written-names.ts';

it('has the name on the oldest bot, in whatever order they come, and the next when that goes', () => {
  const names = new WrittenNames();
  const now = () => [names.get('ms-teams'), names.get('acmecrm')];
  names.set(7, 'Ms TEAMS,AcmeCRM');
  names.set(3, 'MS Teams');
  expect(now()).toEqual(['MS Teams', 'AcmeCRM']);
  names.set(7, 'MS-Teams');
  expect(now()).toEqual(['MS Teams', undefined]);
  names.set(3, '');
  expect(now()).toEqual(['MS-Teams', undefined]);
  names.set(7, '');
  expect(now()).toEqual([undefined, undefined]);
});
