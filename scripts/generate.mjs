/**
 * `npm run generate`: writes every file that is generated from the contract, and what READMEs say of runtimes.
 * Run it after each change of the contract.
 */
import './require-node.mjs';
import { pnpm, turbo } from './pnpm.mjs';

const contract = '--filter=@bot-directory/contract';

process.exitCode =
  (await turbo('build', [contract])) ||
  (await pnpm(['exec', 'tsx', 'codegen/src/main.ts'])) ||
  (await pnpm(['exec', 'tsx', 'checks/runtimes/src/write-support.ts']));
