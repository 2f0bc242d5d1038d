import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findRedis, installation } from '../find-redis.mjs';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Makes a folder for the PATH with these programs, each of which prints a line. */
const folderWith = (programs: Record<string, string>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'path-'));
  folders.push(folder);
  for (const [name, line] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho '${line}'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
};

const redis7 = 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=0';
const redis6 = 'Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=0';
const valkey = 'Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=0';

test('takes redis-server before valkey-server', () => {
  const folder = folderWith({ 'redis-server': redis7, 'valkey-server': valkey });
  expect(findRedis(folder)).toBe(join(folder, 'redis-server'));
});

test('takes valkey-server where redis-server is too old', () => {
  const folder = folderWith({ 'redis-server': redis6, 'valkey-server': valkey });
  expect(findRedis(folder)).toBe(join(folder, 'valkey-server'));
});

test('looks through the whole PATH for one that is new enough', () => {
  const old = folderWith({ 'redis-server': redis6 });
  const recent = folderWith({ 'redis-server': redis7 });
  expect(findRedis(`${old}::/nowhere:${recent}`)).toBe(join(recent, 'redis-server'));
});

test('finds nothing where there is nothing', () => {
  expect(findRedis(folderWith({ 'redis-server': redis6 }))).toBeUndefined();
  expect(findRedis('')).toBeUndefined();
});

test.each([
  ['root with apt-get', { program: 'apt-get', isRoot: true }, ['apt-get update', 'apt-get install']],
  ['a user with apt-get, who would be asked for a password', { program: 'apt-get', isRoot: false }, []],
  ['a user with Homebrew', { program: 'brew', isRoot: false }, ['brew install']],
  ['neither', { program: 'other', isRoot: true }, []],
])('how it installs Redis: %s', (_, { program, isRoot }, commands) => {
  const path = folderWith({ [program]: '' });
  expect(installation({ path, isRoot }).map((command) => command.slice(0, 2).join(' '))).toEqual(commands);
});
