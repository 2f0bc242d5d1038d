/**
 * Every fault under load, and what each promise is worth then. `npm run chaos -- [words of the names of faults]`;
 * prints a table of fault → promise → result, and exits with 1 when a promise broke.
 */
import { faults } from '../packages/server/test/chaos/faults.ts';
import { openChaos } from '../packages/server/test/chaos/run.ts';

const words = process.argv.slice(2);
const chosen = faults.filter(({ name }) => words.every((word) => name.includes(word)));
const chaos = openChaos();
const header = [
  'fault',
  'promise',
  'acknowledged',
  'refused',
  'lost',
  'undelivered',
  'duplicates',
  'back in',
  'result',
];
console.log(`| ${header.join(' | ')} |\n|${header.map(() => ' --- |').join('')}`);

for (const fault of chosen) {
  const why = fault.impossible?.();
  const cells = why === undefined ? await strike(fault) : ['', '', '', '', '', '', `not tried: ${why}`];
  console.log(`| ${[fault.name, fault.promise, ...cells].join(' | ')} |`);
}
await chaos.close();

async function strike(fault: (typeof faults)[number]): Promise<string[]> {
  try {
    const { acknowledged, refused, lost, undelivered, duplicates, bound, recoveredMs, broken } = await chaos.run(fault);
    if (broken.length > 0) process.exitCode = 1;
    const counts = [acknowledged, refused, lost, undelivered].map(String);
    const time = `${(recoveredMs / 1_000).toFixed(1)} s`;
    return [
      ...counts,
      `${duplicates} of ${bound}`,
      time,
      broken.length === 0 ? 'held' : `BROKEN: ${broken.join(', ')}`,
    ];
  } catch (error) {
    process.exitCode = 1;
    await chaos.close();
    return ['', '', '', '', '', '', `BROKEN: ${error instanceof Error ? error.message : String(error)}`];
  }
}
