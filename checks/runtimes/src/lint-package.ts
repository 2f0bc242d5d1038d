/** What the linters of packages say of a tarball. */
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import type { PackedPackage } from './packed-package.ts';

/** Collects the complaints of publint, Are The Types Wrong and npm, and the entries that they found. */
export const lintPackage = async ({
  tarball,
}: Pick<PackedPackage, 'tarball'>): Promise<{ complaints: unknown[]; entries: string[] }> => {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.slice().buffer }, strict: true });
  // Without `repository`, npm refuses to publish with provenance.
  const missing = ['repository', 'homepage', 'bugs', 'license'].filter((field) => !(field in pkg));
  const result = await checkPackage(createPackageFromTarballData(tarball));
  if (result.types === false) return { complaints: [...messages, ...missing, 'it has no types'], entries: [] };
  const entries = Object.keys(result.entrypoints).filter((entry) => entry !== './package.json');
  return { complaints: [...messages, ...missing, ...result.problems], entries };
};
