/** Certificates for HTTPS on this machine. */
import { generate } from 'selfsigned';

/** @typedef {{ readonly key: string, readonly cert: string, readonly ca: string }} Certificate PEM */

/**
 * Makes a certificate, and the authority that signed it. Servers listen with `key` and `cert`; their clients trust
 * `ca`. Nobody has the authority's key afterwards.
 * @param {{ authority: string, names: readonly string[], addresses: readonly string[] }} options
 * @returns {Promise<Certificate>}
 */
export const makeCertificate = async ({ authority: commonName, names, addresses }) => {
  const strength = /** @type {const} */ ({ keyType: 'ec', algorithm: 'sha256' });
  const authority = await generate([{ name: 'commonName', value: commonName }], {
    ...strength,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const leaf = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...strength,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => /** @type {const} */ ({ type: 2, value })),
          ...addresses.map((ip) => /** @type {const} */ ({ type: 7, ip })),
        ],
      },
    ],
  });
  return { key: leaf.private, cert: leaf.cert, ca: authority.cert };
};
