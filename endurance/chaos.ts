/**
 * Every fault under load, and whether every promise holds then. `npm run endurance chaos -- [words of the names of
 * faults]`; prints a row of figures for each fault, and exits with 1 when a promise broke.
 */
import { faults } from '../packages/server/test/chaos/faults.ts';
import { openChaos } from '../packages/server/test/chaos/run.ts';

const words = process.argv.slice(2);
const chosen = faults.filter(({ name }) => words.every((word) => name.includes(word)));
const chaos = openChaos();
const header = 'fault | acknowledged | refused | lost | delivered | undelivered | duplicates | back in | result';
console.log(
  `| ${header} |\n|${header
    .split('|')
    .map(() => ' --- |')
    .join('')}`,
);

for (const fault of chosen) {
  const why = fault.impossible?.();
  const cells = why === undefined ? await strike(fault) : result(`not tried: ${why}`);
  console.log(`| ${[fault.name, ...cells].join(' | ')} |`);
}
await chaos.close();

async function strike(fault: (typeof faults)[number]): Promise<string[]> {
  try {
    const verdict = await chaos.run(fault);
    const { acknowledged, refused, lost, delivered, undelivered, duplicates, bound, recoveredMs, figures, broken } =
      verdict;
    if (broken.length > 0) process.exitCode = 1;
    return [
      ...[acknowledged, refused, lost, delivered, undelivered].map(String),
      `${duplicates} of ${bound}`,
      `${(recoveredMs / 1_000).toFixed(1)} s`,
      [broken.length === 0 ? 'held' : `BROKEN: ${broken.join(', ')}`, figures].filter((text) => text !== '').join('; '),
    ];
  } catch (error) {
    process.exitCode = 1;
    await chaos.close();
    return result(`BROKEN: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A row that has nothing to count. */
function result(text: string): string[] {
  return [...Array.from({ length: 7 }, () => ''), text];
}
