import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const port = fileURLToPath(new URL('../port.mjs', import.meta.url));

/** Starts a process that takes so many ports, `together` at a time, and ends when its input ends. */
const taker = async (count: number, together: number) => {
  const script = `
    import { freePort } from ${JSON.stringify(port)};
    const ports = [];
    while (ports.length < ${count}) ports.push(...await Promise.all(Array.from({ length: ${together} }, freePort)));
    process.stdout.end(JSON.stringify(ports));
    await new Promise((resolve) => process.stdin.resume().once('end', resolve));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const ports = JSON.parse(await text(child.stdout)) as number[];
  return {
    ports,
    end: async (): Promise<void> => {
      child.stdin.end();
      expect(await ended).toEqual([0, null]);
    },
  };
};

test('no two processes get the same port, and the system gives none of them to a client', async () => {
  const takers = await Promise.all([taker(200, 1), taker(200, 10), taker(200, 100)]);
  const ports = takers.flatMap((each) => each.ports);
  expect(new Set(ports).size).toBe(600);
  for (const each of ports) expect(each).toBeLessThan(32_768);
  await Promise.all(takers.map(({ end }) => end()));
});
