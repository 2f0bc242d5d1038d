import { expect, it } from 'vitest';
import { openApi } from '@bot-directory/contract';
import { releaseOf } from './release.ts';

it('differs from another release, even when nobody raised the version of the contract', () => {
  const document = openApi('https://bots.example.com');
  const reworded = JSON.parse(JSON.stringify(document).replace('install_count', 'installs')) as unknown;
  const releases = [releaseOf('1.0.0', document), releaseOf('1.0.1', document), releaseOf('1.0.0', reworded)];
  expect(new Set(releases).size).toBe(3);
  expect(releaseOf('1.0.0', document)).toBe(releases[0]);
});
