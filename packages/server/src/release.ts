/**
 * The release of the service: for the build's metric, and so that two releases never give one ETag to different bytes.
 */
import { createHash } from 'node:crypto';
import { openApi } from '@bot-directory/contract';
import manifest from '../package.json' with { type: 'json' };

/** The version of this package. */
export const version: string = manifest.version;

/** Changes with the version and with the contract, whether or not anyone raised its version. */
export const releaseOf = (packageVersion: string, document: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([packageVersion, document]))
    .digest('base64url')
    .slice(0, 12);

/** The release of this build. */
export const release = releaseOf(version, openApi());
