/** A certificate for servers on this machine, signed by an authority that only the tests trust. */
import { generate } from 'selfsigned';

/** PEM. Receivers listen with `key` and `cert`; their clients trust `ca`. */
export type TestCertificate = { readonly key: string; readonly cert: string; readonly ca: string };

/** The names and addresses that the certificate is for. A wildcard covers one label. */
const names = [
  ...['localhost', 'hooks.example.com', '*.hooks.example.com', '*.github.io'],
  ...['hooks.slack.com', 'discord.com'],
];
const addresses = ['127.0.0.1', '127.0.0.66', '::1'];

/** Makes a certificate, with an authority of its own. */
export const makeCertificate = async (): Promise<TestCertificate> => {
  const strength = { keyType: 'ec', algorithm: 'sha256' } as const;
  const authority = await generate([{ name: 'commonName', value: 'Test authority' }], {
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
          ...names.map((value) => ({ type: 2, value }) as const),
          ...addresses.map((ip) => ({ type: 7, ip }) as const),
        ],
      },
    ],
  });
  return { key: leaf.private, cert: leaf.cert, ca: authority.cert };
};

let made: Promise<TestCertificate> | undefined;

/** The certificate of this process; made once. */
export const testCertificate = (): Promise<TestCertificate> => (made ??= makeCertificate());
