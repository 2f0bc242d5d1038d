/** A certificate for servers on this machine, signed by an authority that only the tests trust. */
import { makeCertificate as make } from '../../../scripts/certificate.mjs';

/** PEM. Receivers listen with `key` and `cert`; their clients trust `ca`. */
export type TestCertificate = { readonly key: string; readonly cert: string; readonly ca: string };

/** The names and addresses that the certificate is for. A wildcard covers one label. */
const names = [
  'localhost',
  'hooks.example.com',
  '*.hooks.example.com',
  '*.github.io',
  'hooks.slack.com',
  'discord.com',
];
const addresses = ['127.0.0.1', '127.0.0.66', '::1'];

/** Makes a certificate, with an authority of its own. */
export const makeCertificate = (): Promise<TestCertificate> => make({ authority: 'Test authority', names, addresses });

let made: Promise<TestCertificate> | undefined;

/** The certificate of this process; made once. */
export const testCertificate = (): Promise<TestCertificate> => (made ??= makeCertificate());
