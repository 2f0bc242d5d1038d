import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { needs } from '../../packages/testing/src/needs.ts';
import { root } from '../pnpm.mjs';

const folder = mkdtempSync(join(tmpdir(), 'bare-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('.ci/bare hides what somebody installed, and ends as its command does', needs('dpkg'), () => {
  const hidden = ['nginx', 'haproxy', 'java', 'promtool', 'strip'];
  for (const name of hidden) writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
  const script = 'for name; do command -v "$name" >/dev/null && echo "$name"; done; exit 3';
  const names = ['node', 'npm', 'git', 'curl', 'tar', ...hidden];
  const env = { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) };
  const { stdout, status } = spawnSync(join(root, '.ci/bare'), ['sh', '-c', script, 'sh', ...names], {
    env,
    encoding: 'utf8',
  });
  expect([stdout.trim().split('\n'), status]).toEqual([['node', 'npm', 'git', 'curl', 'tar'], 3]);
});
