/**
 * Prints, for `npm run release`, the next versions, and each check with its complaints. Exits with 1 if there are any.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiComplaints, packPublished, plannedVersions, tarballComplaints, tryInEmptyProject } from './release.ts';

const folder = mkdtempSync(join(tmpdir(), 'release-'));
let refused = 0;

const check = async (name: string, complaints: string[] | Promise<string[]>): Promise<void> => {
  const found = await complaints;
  refused += found.length;
  console.log(`${found.length === 0 ? 'ok     ' : 'REFUSED'}  ${name}`);
  for (const complaint of found) console.log(`           ${complaint}`);
};

try {
  const plan = await plannedVersions();
  console.log(plan.length === 0 ? 'No changeset waits: versions stay as they are.' : plan.join('\n'));
  await check('the API breaks no client without a major version', apiComplaints());
  const packed = packPublished(folder);
  for (const one of packed)
    await check(`${one.name}@${one.version}, ${Math.round(one.tarball.length / 1024)} KB`, tarballComplaints(one));
  await check('installed in an empty project, against the real server', tryInEmptyProject(folder, packed));
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = refused === 0 ? 0 : 1;
