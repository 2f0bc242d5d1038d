import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@bot-directory/testing/until';
import { expect, it } from 'vitest';
import { hostsFile } from './hosts-file.ts';

it('a hosts file maps its names to its addresses, and is read again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
  const path = join(folder, 'hosts');
  const text = '# names of this machine\n::1 Receiver two.lan # both\n127.0.0.1\treceiver\nnonsense here\n';
  await writeFile(path, text);
  const addresses = hostsFile(path);
  expect(await addresses('receiver')).toEqual(['127.0.0.1', '::1']);
  expect(await addresses('TWO.lan')).toEqual(['::1']);
  expect(await addresses('here')).toBeUndefined();
  await writeFile(path, '10.0.0.1 receiver');
  await until('it is read again', async () => (await addresses('receiver'))?.includes('10.0.0.1') === true);
  await rm(folder, { recursive: true });
  expect(await hostsFile(path)('receiver')).toBeUndefined();
});
