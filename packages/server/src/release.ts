/** Which release of the service this is: for the build's metric, and so that no two releases give one ETag to other bytes. */
import { createHash } from 'node:crypto';
import { openApi } from '@bot-directory/contract';
import manifest from '../package.json' with { type: 'json' };

/** The version of this package. */
export const version: string = manifest.version;

/** Changes with the version, and with any schema or word of the contract, whether or not somebody raised its version. */
export const releaseOf = (packageVersion: string, document: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([packageVersion, document]))
    .digest('base64url')
    .slice(0, 12);

/** That of this build. */
export const release = releaseOf(version, openApi());
