/**
 * Checks dependencies, as a step of `npm run test:all`: everything that is shipped has a permitted licence and no known
 * vulnerability. The audit asks the registry; if the registry cannot be reached, the script says so and fails nothing.
 * `node scripts/dependencies.mjs`.
 */
import './require-node.mjs';
import { pnpmForOutput } from './pnpm.mjs';

/** Licences that require no more than their own text. */
const permitted = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Apache-2.0',
  'Python-2.0',
  'MPL-2.0',
  'CC-BY-4.0',
]);

/**
 * Whether one of the licences to choose from is permitted, or all that apply together.
 * @param {string} licence
 */
const isPermitted = (licence) =>
  licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => permitted.has(one.trim())));

const licences = async () => {
  const { output } = await pnpmForOutput(['--filter=./packages/*', 'licenses', 'list', '--prod', '--json']);
  /** @type {Record<string, { name: string }[]>} */
  const byLicence = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
  const refused = Object.entries(byLicence).filter(([licence]) => !isPermitted(licence));
  const names = refused.map(([licence, found]) => `${licence}: ${found.map(({ name }) => name).join(', ')}`);
  const count = Object.values(byLicence).flat().length;
  console.log(names.length === 0 ? `Licences of ${count} packages are permitted.` : names.join('\n'));
  return count > 0 && names.length === 0;
};

const audit = async () => {
  const { code, output } = await pnpmForOutput(['audit', '--prod', '--audit-level=high']);
  const isAnswered = !/ERR_PNPM_AUDIT_|ENOTFOUND|ECONNREFUSED|ETIMEDOUT/.test(output);
  console.log(isAnswered ? output : 'The registry cannot be reached: known vulnerabilities were not checked.');
  return code === 0 || !isAnswered;
};

const held = [await licences(), await audit()];
process.exitCode = held.every(Boolean) ? 0 : 1;
