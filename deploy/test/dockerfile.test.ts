/** What can be checked in the Dockerfile without a build; image.full.test.ts runs its steps. */
import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';
import { read } from './support/files.ts';
import { image } from './support/image.ts';

it('passes the linter of Docker’s editor support', () => {
  expect(validate(read('Dockerfile')).map(({ message, range }) => [range.start.line + 1, message])).toEqual([]);
});

it('fetches nothing but its base images, each with a tag', () => {
  const instructions = image.stages.flatMap((stage) => stage.instructions);
  expect(instructions.filter(({ keyword }) => keyword === 'ADD')).toEqual([]);
  for (const { base } of image.stages) expect(base.split(' ')[0]).toMatch(/:[\w${}.-]+$/);
  expect(image.stages.flatMap(({ base }) => /:latest/.exec(base) ?? [])).toEqual([]);
});

it('runs as nobody, in the exec form, so that signals reach the service', () => {
  const [uid, gid] = image.user.split(':').map(Number);
  expect(uid).toBeGreaterThan(0);
  expect(gid).toBeGreaterThan(0);
  expect([...image.entrypoint, ...image.command]).toEqual(['node', 'packages/server/dist/main.js']);
  expect(image.healthcheck[0]).toBe('node');
});

it('serves where its port and its health check say', () => {
  expect(image.ports).toEqual([image.environment.PORT]);
  expect(image.healthcheck.join(' ')).toContain('process.env.PORT}/healthz');
});
