/**
 * `npm run lint`: ESLint, a part of the repository in a process of its own. With types, the whole would need more memory
 * than a process gets.
 */
import { pnpm } from './pnpm.mjs';

const large = ['packages/server', 'packages/sdk', 'packages/webhook-receiver', 'bench'];
const others = ['.', ...large.flatMap((folder) => ['--ignore-pattern', `${folder}/**`])];

/** What ESLint is told, by the name of each part. */
export const lintParts = [
  ...large.map((folder) => ({ name: folder, args: ['exec', 'eslint', folder] })),
  { name: 'all else', args: ['exec', 'eslint', ...others] },
];

if (import.meta.filename === process.argv[1]) {
  for (const { args } of lintParts) process.exitCode ||= await pnpm(args);
}
