import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['test/site/screenshots.make.ts'], testTimeout: 300_000 } });
