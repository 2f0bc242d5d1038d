import { expect, it } from 'vitest';
import { openApi } from '@bot-directory/contract';
import { releaseOf } from '../release.ts';
import { Directory } from '../store/directory.ts';
import { createApiReads } from './api-reads.ts';

const baseUrl = 'https://bots.example.com';
const tagOf = (release: string): string => {
  const directory = new Directory({ store: undefined, baseUrl });
  const route = createApiReads({ directory, baseUrl, categories: ['SEO'], release, onError: () => undefined });
  return route('/api/categories', '')?.stamp().tag ?? '';
};

it('have another tag in another release, even when nobody raised the version of the contract', () => {
  const document = openApi(baseUrl);
  const reworded = JSON.parse(JSON.stringify(document).replace('install_count', 'installs')) as unknown;
  const releases = [releaseOf('1.0.0', document), releaseOf('1.0.1', document), releaseOf('1.0.0', reworded)];
  expect(new Set(releases.map(tagOf)).size).toBe(3);
  expect(tagOf(releaseOf('1.0.0', document))).toBe(tagOf(releases[0] ?? ''));
});
