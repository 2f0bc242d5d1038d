/** What the published packages are tested with, as a table for their READMEs: the very lists that the tests run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withGenerated } from '@bot-directory/codegen/banner';
import { formatted } from '@bot-directory/codegen/formatted';
import { compilers } from './compilers.ts';
import { functionCompilers } from './compiled-to-functions.ts';
import { oldResolvers } from './old-resolvers.ts';
import { runtimes } from './runtimes.ts';

const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The first runtime is the Node that runs the tests: CI uses each supported one in turn. */
const runtimeNames = [
  'Node 20',
  ...runtimes.slice(1).map(({ name }) => name.replace(/^(node|bun|deno|chromium)/, titled)),
];
const typeScripts = compilers.map(({ name }) => name).filter((name) => name.startsWith('TypeScript'));

const packages = join(import.meta.dirname, '../../../packages');
const sdkPackage = readFileSync(join(import.meta.dirname, '../../sdk/package.json'), 'utf8');
const { next: nextVersion } = (JSON.parse(sdkPackage) as { devDependencies: { next: string } }).devDependencies;

const rows = {
  sdk: {
    'published as': 'ES2019, so for Chrome 93, Firefox 91, Safari 15 and React Native 0.72, and newer',
    'runs in': runtimeNames.join(', '),
    'runs when compiled with': Object.keys(functionCompilers).join(', '),
    'entries are found by': `tools that know \`exports\`, ${Object.keys(oldResolvers).join(', ')}`,
    'types hold in': typeScripts.join(', '),
    'recipe is built and run with': `Next.js ${nextVersion}`,
  },
  receiver: {
    'published as': 'ES2022',
    'runs in': runtimeNames.join(', '),
    'entries are found by': `tools that know \`exports\`, ${Object.keys(oldResolvers).join(', ')}`,
    'types hold in': typeScripts.join(', '),
  },
};

/** The README of a package as it is, and with the table of today. */
export const readmeOf = async (name: keyof typeof rows): Promise<{ path: string; found: string; made: string }> => {
  const path = join(packages, { sdk: 'sdk', receiver: 'webhook-receiver' }[name], 'README.md');
  const found = readFileSync(path, 'utf8');
  const table = Object.entries(rows[name]).map(([what, tools]) => `| ${what} | ${tools} |`);
  return {
    path,
    found,
    made: await formatted(path, withGenerated(found, `| | |\n| --- | --- |\n${table.join('\n')}`)),
  };
};
