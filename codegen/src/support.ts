/** What the published packages are tested with, as a table for their READMEs: the very lists that the tests run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withGenerated } from '../codegen/banner.ts';
import { compilers } from './compilers.ts';
import { functionCompilers } from './compiled-to-functions.ts';
import { oldResolvers } from './old-resolvers.ts';
import { runtimes } from './runtimes.ts';

/** The language in which each package's files are published. A test parses every file as that. */
export const ecmaVersions = { sdk: 2019, receiver: 2022 } as const;

const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The first runtime is the Node that runs the tests: CI uses each supported one in turn. */
const runtimeNames = [
  'Node 20',
  ...runtimes.slice(1).map(({ name }) => name.replace(/^(node|bun|deno|chromium)/, titled)),
];
const typeScripts = compilers.map(({ name }) => name).filter((name) => name.startsWith('TypeScript'));

const sdkPackage = readFileSync(join(import.meta.dirname, '../../../sdk/package.json'), 'utf8');
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

/** Updates the table of the README. */
export const withSupport = (readme: string, name: keyof typeof rows): string => {
  const table = Object.entries(rows[name]).map(([what, tools]) => `| ${what} | ${tools} |`);
  return withGenerated(readme, `| | |\n| --- | --- |\n${table.join('\n')}`);
};
