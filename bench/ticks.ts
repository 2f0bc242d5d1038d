/**
 * What `process.nextTick` costs before and after full collections of garbage, in a process as it is and in one that
 * keeps the shape of what is queued, as the server does (decision 0085).
 */
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { keepTickShape } from '../packages/server/src/http/node-internals.ts';
import { median } from './support/statistics.ts';
import { count, row } from './support/table.ts';

const ticks = 1_000_000;
const rounds = 5;
const collections = 6;
const asItIs = 'as it is';
const kept = 'with its shape kept';

/** Nanoseconds of one `nextTick`, its callback included. */
const round = async (): Promise<number> => {
  const startedAtMs = performance.now();
  await new Promise<void>((resolve) => {
    let left = ticks;
    const next = (): void => {
      if ((left -= 1) === 0) resolve();
      else process.nextTick(next);
    };
    process.nextTick(next);
  });
  return ((performance.now() - startedAtMs) * 1e6) / ticks;
};

const measure = async (): Promise<number> => {
  const took: number[] = [];
  for (let i = 0; i < rounds; i++) took.push(await round());
  return median(took);
};

const beforeAndAfter = async (): Promise<readonly number[]> => {
  const before = await measure();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < collections; i++) {
    collect();
    await sleep(5);
  }
  return [before, await measure()];
};

const [title] = process.argv.slice(2);
if (title === undefined) {
  console.log(row('nextTick, in ns', ['before', 'after']));
  for (const contender of [asItIs, kept])
    spawnSync(process.execPath, [...process.execArgv, import.meta.filename, contender], { stdio: 'inherit' });
} else {
  if (title === kept) keepTickShape();
  console.log(row(title, (await beforeAndAfter()).map(count)));
}
